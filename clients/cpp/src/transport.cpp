#include "transport.hpp"

#include <algorithm>
#include <polynya/errors.hpp>
#include <utility>

namespace polynya {
namespace {

constexpr std::size_t chunk_bytes = 64 * 1024;
constexpr std::chrono::hours longest_patience{24};

[[noreturn]] void broke(const char* doing) {
  throw ConnectionLost(std::string("the connection broke while ") + doing + ": " +
                       sockets::words(sockets::error()));
}

// A socket connected to one of these addresses, or none, and the last error. Each may take so long.
std::pair<sockets::Handle, int> connect_to(const addrinfo* addresses,
                                           std::chrono::milliseconds patience) {
  int failure = 0;
  for (; addresses != nullptr; addresses = addresses->ai_next) {
    const sockets::Handle handle = sockets::open(*addresses);
    if (handle == sockets::none) {
      failure = sockets::error();
      continue;
    }
    sockets::set_timeouts(handle, patience);
    const auto size = static_cast<socklen_t>(addresses->ai_addrlen);
    if (connect(handle, addresses->ai_addr, size) == 0) return {handle, 0};
    failure = sockets::error();
    sockets::close(handle);
  }
  return {sockets::none, failure};
}

}  // namespace

Socket::Socket(const Address& server, std::chrono::milliseconds patience) {
  sockets::start();
  const auto& [host, port] = server;
  const std::string where = "cannot connect to " + host + ":" + std::to_string(port) + ": ";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  const int unknown = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &addresses);
  if (unknown != 0) throw ConnectionLost(where + sockets::lookup_words(unknown));
  const auto [handle, failure] = connect_to(addresses, patience);
  freeaddrinfo(addresses);
  if (handle == sockets::none) throw ConnectionLost(where + sockets::words(failure));
  handle_ = handle;
  sockets::set_no_delay(handle_);
  set_patience(patience);
}

Socket::~Socket() { sockets::close(handle_); }

void Socket::set_patience(std::chrono::milliseconds time) {
  patience_ = std::min<std::chrono::milliseconds>(time, longest_patience);
  sockets::set_timeouts(handle_, patience_);
}

bool Socket::wait() const {
  const int ready = sockets::wait(handle_, patience_);
  if (ready < 0) broke("receiving");
  return ready > 0;
}

void Socket::hang_up() const { sockets::shut_down(handle_); }

void Transport::write(std::string_view data) {
  while (!data.empty()) {
    const std::ptrdiff_t count = sockets::send(socket_.handle(), data.data(), data.size());
    if (count < 0) broke("sending");
    data.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string Transport::read() {
  std::string data(chunk_bytes, '\0');
  const std::ptrdiff_t count = sockets::receive(socket_.handle(), data.data(), data.size());
  if (count < 0) broke("receiving");
  data.resize(static_cast<std::size_t>(count));
  return data;
}

}  // namespace polynya
