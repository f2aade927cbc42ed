#include <algorithm>
#include <charconv>
#include <polynya/errors.hpp>
#include <polynya/settings.hpp>
#include <sstream>

#include "addresses.hpp"
#include "codec.hpp"

namespace polynya {
namespace {

constexpr int protocol_version = 1;

int read_port(const std::string& text) {
  int port = 0;
  const auto end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, port);
  if (failure != std::errc() || rest != end || port < 1 || port > 65535) {
    throw BadSettings("a port is a number from 1 to 65535, not '" + printable(text) + "'");
  }
  return port;
}

int read_concurrency(const std::string& text) {
  int matches = 0;
  const auto end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, matches);
  if (failure != std::errc() || rest != end || matches < 1) {
    throw BadSettings("POLYNYA_CONCURRENCY is a number of matches, not '" + printable(text) + "'");
  }
  return matches;
}

// What stands between commas, without the spaces around it.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream rest(text);
  for (std::string item; std::getline(rest, item, ',');) {
    const std::size_t first = item.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    items.push_back(item.substr(first, item.find_last_not_of(' ') - first + 1));
  }
  return items;
}

std::chrono::milliseconds read_reconnect(const std::string& text) {
  constexpr double forever_s = 1e9;  // 31 years
  double seconds = -1;
  if (text == "forever") seconds = forever_s;
  const auto end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, seconds);
  if (text != "forever" && (failure != std::errc() || rest != end || !(seconds >= 0))) {
    throw BadSettings("POLYNYA_RECONNECT is a number of seconds or \"forever\", not '" +
                      printable(text) + "'");
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(std::min(seconds, forever_s)));
}

}  // namespace

Settings in_force(Settings settings, const Environment& environment) {
  const auto override_with = [&](std::string& value, const char* variable) {
    if (std::string given = environment(variable); !given.empty()) value = std::move(given);
  };
  std::string port = settings.port == 0 ? "" : std::to_string(settings.port);
  std::string tls = settings.tls ? "1" : "0";
  override_with(settings.host, "POLYNYA_HOST");
  override_with(settings.token, "POLYNYA_TOKEN");
  override_with(settings.name, "POLYNYA_NAME");
  override_with(settings.log, "POLYNYA_LOG");
  override_with(port, "POLYNYA_PORT");
  override_with(tls, "POLYNYA_TLS");
  override_with(settings.ca_file, "POLYNYA_CA_FILE");
  std::string games;
  override_with(games, "POLYNYA_GAMES");
  if (!games.empty()) settings.games = split(games);
  std::string concurrency;
  override_with(concurrency, "POLYNYA_CONCURRENCY");
  if (!concurrency.empty()) settings.concurrency = read_concurrency(concurrency);
  std::string reconnect;
  override_with(reconnect, "POLYNYA_RECONNECT");
  if (!reconnect.empty()) settings.reconnect = read_reconnect(reconnect);
  if (!port.empty()) settings.port = read_port(port);
  read_addresses(settings.host, settings.port);  // throws if they are none
  settings.tls = tls != "0";
  return settings;
}

Json hello(const Settings& settings) {
  Json software = {{"name", "polynya-client"}, {"language", "C++20"}};
  software.update(Json(settings.software));
  Json hello = {{"type", "hello"},
                {"protocol", protocol_version},
                {"concurrency", settings.concurrency},
                {"wants", settings.wants},
                {"software", software},
                {"max_frame", server_max_frame}};
  if (!settings.name.empty()) hello["name"] = settings.name;
  if (!settings.token.empty()) hello["token"] = settings.token;
  if (settings.games) hello["games"] = *settings.games;
  return hello;
}

}  // namespace polynya
