#include "addresses.hpp"

#include <algorithm>
#include <polynya/errors.hpp>
#include <string_view>

namespace polynya {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";
constexpr std::string_view digits = "0123456789";
constexpr std::size_t most_digits = 5;
constexpr int last_port = 65535;

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The port, 0 if it is none.
int read_port(std::string_view text) {
  const bool is_number = text.find_first_not_of(digits) == std::string_view::npos;
  if (text.empty() || text.size() > most_digits || !is_number) return 0;
  const int port = std::stoi(std::string(text));
  return port <= last_port ? port : 0;
}

bool is_host(std::string_view text) {
  return !text.empty() && text.find_first_of("[] \t\r\n\f\v") == std::string_view::npos;
}

// The address, with port -1 if it names none and an empty host if it is none.
Address split(std::string_view item) {
  std::string_view host = item;
  std::string_view rest;
  if (item.substr(0, 1) == "[") {
    const std::size_t end = item.find(']');
    if (end == std::string_view::npos) return {};
    host = item.substr(1, end - 1);
    rest = item.substr(end + 1);
  } else if (std::count(item.begin(), item.end(), ':') == 1) {
    host = item.substr(0, item.find(':'));
    rest = item.substr(item.find(':'));
  }
  if (!is_host(host)) return {};
  if (rest.empty()) return {std::string(host), -1};
  const int port = rest.front() == ':' ? read_port(rest.substr(1)) : 0;
  return port == 0 ? Address{} : Address{std::string(host), port};
}

Address read_address(std::string_view item, int port) {
  Address address = split(item);
  if (address.host.empty()) {
    throw BadSettings(
        "a server is HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535, and several are "
        "separated by commas, not '" +
        printable(std::string(item)) + "'");
  }
  if (address.port < 0) address.port = port;
  if (address.port == 0) throw BadSettings("no port: set POLYNYA_PORT, or Settings::port");
  return address;
}

}  // namespace

std::vector<Address> read_addresses(const std::string& text, int port) {
  std::vector<Address> addresses;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::size_t length = end == std::string::npos ? end : end - begin;
    addresses.push_back(read_address(stripped(std::string_view(text).substr(begin, length)), port));
  }
  return addresses;
}

}  // namespace polynya
