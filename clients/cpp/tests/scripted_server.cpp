#include "scripted_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>

#include "codec.hpp"

using polynya::Json;

namespace {

constexpr timeval patience{.tv_sec = 20, .tv_usec = 0};

Json with(Json message, const Json& more) {
  message.update(more);
  return message;
}

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

}  // namespace

void Peer::send(const Json& message) { send_bytes(polynya::encode(message)); }

void Peer::send_bytes(const std::string& bytes) {
  const ssize_t sent = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  check(sent == static_cast<ssize_t>(bytes.size()), "the test's frames fit a socket's buffer");
}

Json Peer::receive() {
  std::size_t length = 0;
  for (const char byte : exactly(4)) length = length << 8 | static_cast<unsigned char>(byte);
  return polynya::decode(exactly(length));
}

std::string Peer::exactly(std::size_t count) {
  std::string data(count, '\0');
  const ssize_t got = recv(handle_, data.data(), count, MSG_WAITALL);
  check(got == static_cast<ssize_t>(count), "the bot sent nothing more");
  return data;
}

void Peer::hang_up() {
  if (handle_ >= 0) close(handle_);
  handle_ = -1;
}

bool Peer::ended() {
  char byte;
  return recv(handle_, &byte, 1, 0) == 0;
}

Json Peer::welcome(const Json& more) {
  Json hello = receive();
  const Json server = {{"name", "scripted"}, {"version", "1"}};
  send(with({{"type", "welcome"},
             {"protocol", 1},
             {"bot", "ada"},
             {"session", "s1"},
             {"server", server},
             {"heartbeat_ms", 10'000},
             {"max_frame", 65'536},
             {"matches", Json::array()}},
            more));
  return hello;
}

void Peer::begin(const Json& more) {
  const Json players = {{{"seat", 0}, {"name", "bob"}, {"rating", 1510.5}},
                        {{"seat", 1}, {"name", "ada"}, {"rating", nullptr}}};
  send(with({{"type", "match_start"},
             {"match", "m1"},
             {"seq", 0},
             {"game", "packeis"},
             {"seat", 1},
             {"players", players},
             {"options", Json::object()},
             {"clock", {{"initial_ms", nullptr}, {"increment_ms", nullptr}, {"move_ms", 5000}}},
             {"state", {{"game", "packeis"}}}},
            more));
}

void Peer::begin_match() {
  begin(Json::object());
  check(receive() == Json({{"type", "ready"}, {"match", "m1"}}), "the bot is ready");
}

void Peer::ask(const Json& more) {
  send(with({{"type", "turn"}, {"match", "m1"}, {"seq", 1}, {"turn", 1}, {"remaining_ms", 5000}},
            more));
}

ScriptedServer::ScriptedServer() : handle_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const where = reinterpret_cast<sockaddr*>(&address);
  check(bind(handle_, where, size) == 0 && listen(handle_, 5) == 0, "a port is free");
  getsockname(handle_, where, &size);
  port_ = ntohs(address.sin_port);
  setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

ScriptedServer::~ScriptedServer() { close(handle_); }

std::future<void> ScriptedServer::run(polynya::Choose choose, polynya::Settings settings) const {
  settings.port = port_;
  return std::async(std::launch::async, [choose, settings] { polynya::play(choose, settings); });
}

std::future<void> ScriptedServer::run(polynya::Bot& bot, polynya::Settings settings) const {
  settings.port = port_;
  return std::async(std::launch::async, [&bot, settings] { polynya::play(bot, settings); });
}

Peer ScriptedServer::accept() const {
  const int handle = ::accept(handle_, nullptr, nullptr);
  check(handle >= 0, "the bot did not connect");
  setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return Peer(handle);
}
