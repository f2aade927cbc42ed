#include "transport.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <polynya/errors.hpp>
#include <system_error>

namespace polynya {
namespace {

constexpr std::size_t chunk_bytes = 64 * 1024;
constexpr std::chrono::seconds connect_time{10};
constexpr std::chrono::hours longest_patience{24};

[[noreturn]] void broke(const char* doing) {
  throw ConnectionLost(std::string("the connection broke while ") + doing + ": " +
                       std::strerror(errno));
}

int set(int handle, int level, int option, const void* value, socklen_t size) {
  return setsockopt(handle, level, option, value, size);
}

void set_timeouts(int handle, std::chrono::milliseconds time) {
  const timeval limit{.tv_sec = time.count() / 1000, .tv_usec = time.count() % 1000 * 1000};
  set(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  set(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// A socket connected to one of these addresses, or -1 with errno set.
int connect_to(const addrinfo* addresses) {
  int handle = -1;
  for (; addresses != nullptr; addresses = addresses->ai_next) {
    handle = socket(addresses->ai_family, addresses->ai_socktype | SOCK_CLOEXEC, 0);
    if (handle < 0) continue;
    set_timeouts(handle, connect_time);
    if (connect(handle, addresses->ai_addr, addresses->ai_addrlen) == 0) return handle;
    const int reason = errno;
    close(handle);
    errno = reason;
  }
  return -1;
}

}  // namespace

Socket::Socket(const Address& server) {
  const auto& [host, port] = server;
  const std::string where = "cannot connect to " + host + ":" + std::to_string(port) + ": ";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &addresses);
  if (failure != 0) throw ConnectionLost(where + gai_strerror(failure));
  handle_ = connect_to(addresses);
  freeaddrinfo(addresses);
  if (handle_ < 0) throw ConnectionLost(where + std::strerror(errno));
  const int yes = 1;
  set(handle_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  patience(connect_time);
}

Socket::~Socket() { close(handle_); }

void Socket::patience(std::chrono::milliseconds time) {
  patience_ = std::min<std::chrono::milliseconds>(time, longest_patience);
  set_timeouts(handle_, patience_);
}

bool Socket::wait() const {
  pollfd readable{.fd = handle_, .events = POLLIN, .revents = 0};
  int ready;
  do {
    ready = poll(&readable, 1, static_cast<int>(patience_.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) broke("receiving");
  return ready > 0;
}

void Transport::write(std::string_view data) {
  while (!data.empty()) {
    const ssize_t count = send(socket_.handle(), data.data(), data.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) broke("sending");
    data.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string Transport::read() {
  std::string data(chunk_bytes, '\0');
  ssize_t count;
  do {
    count = recv(socket_.handle(), data.data(), data.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) broke("receiving");
  data.resize(static_cast<std::size_t>(count));
  return data;
}

}  // namespace polynya
