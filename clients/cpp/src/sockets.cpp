#include "sockets.hpp"

#include <algorithm>
#include <climits>
#include <system_error>

#ifndef _WIN32
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#endif

namespace polynya::sockets {
namespace {

template <typename Value>
void set(Handle handle, int level, int option, const Value& value) {
  setsockopt(handle, level, option, reinterpret_cast<const char*>(&value), sizeof value);
}

int milliseconds(std::chrono::milliseconds time) {
  return static_cast<int>(std::min<std::chrono::milliseconds::rep>(time.count(), INT_MAX));
}

}  // namespace

void set_no_delay(Handle handle) { set(handle, IPPROTO_TCP, TCP_NODELAY, int{1}); }

std::string words(int error) { return std::system_category().message(error); }

#ifdef _WIN32

void start() {
  static const int failure = [] {
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data);
  }();
  static_cast<void>(failure);  // the first use of a socket tells
}

Handle open(const addrinfo& address) {
  return WSASocketW(address.ai_family, address.ai_socktype, 0, nullptr, 0,
                    WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
}

void close(Handle handle) { closesocket(handle); }

void shut_down(Handle handle) { shutdown(handle, SD_BOTH); }

void set_timeouts(Handle handle, std::chrono::milliseconds time) {
  const DWORD limit = static_cast<DWORD>(milliseconds(time));
  set(handle, SOL_SOCKET, SO_RCVTIMEO, limit);
  set(handle, SOL_SOCKET, SO_SNDTIMEO, limit);
}

int wait(Handle handle, std::chrono::milliseconds time) {
  WSAPOLLFD readable{handle, POLLIN, 0};
  return WSAPoll(&readable, 1, milliseconds(time));
}

std::ptrdiff_t send(Handle handle, const char* data, std::size_t size) {
  return ::send(handle, data, static_cast<int>(std::min<std::size_t>(size, INT_MAX)), 0);
}

std::ptrdiff_t receive(Handle handle, char* data, std::size_t size) {
  return ::recv(handle, data, static_cast<int>(std::min<std::size_t>(size, INT_MAX)), 0);
}

int error() { return WSAGetLastError(); }

std::string lookup_words(int failure) { return words(failure); }

#else

void start() {}

Handle open(const addrinfo& address) {
  const Handle handle = socket(address.ai_family, address.ai_socktype, 0);
  if (handle == none) return none;
  fcntl(handle, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE  // macOS: a connection that is gone is an error, not a signal
  set(handle, SOL_SOCKET, SO_NOSIGPIPE, int{1});
#endif
  return handle;
}

void close(Handle handle) { ::close(handle); }

void shut_down(Handle handle) { shutdown(handle, SHUT_RDWR); }

void set_timeouts(Handle handle, std::chrono::milliseconds time) {
  timeval limit{};
  limit.tv_sec = static_cast<decltype(limit.tv_sec)>(time.count() / 1000);
  limit.tv_usec = static_cast<decltype(limit.tv_usec)>(time.count() % 1000 * 1000);
  set(handle, SOL_SOCKET, SO_RCVTIMEO, limit);
  set(handle, SOL_SOCKET, SO_SNDTIMEO, limit);
}

int wait(Handle handle, std::chrono::milliseconds time) {
  pollfd readable{.fd = handle, .events = POLLIN, .revents = 0};
  int ready;
  do {
    ready = poll(&readable, 1, milliseconds(time));
  } while (ready < 0 && errno == EINTR);
  return ready;
}

std::ptrdiff_t send(Handle handle, const char* data, std::size_t size) {
#ifdef MSG_NOSIGNAL
  constexpr int flags = MSG_NOSIGNAL;
#else
  constexpr int flags = 0;
#endif
  std::ptrdiff_t count;
  do {
    count = ::send(handle, data, size, flags);
  } while (count < 0 && errno == EINTR);
  return count;
}

std::ptrdiff_t receive(Handle handle, char* data, std::size_t size) {
  std::ptrdiff_t count;
  do {
    count = ::recv(handle, data, size, 0);
  } while (count < 0 && errno == EINTR);
  return count;
}

int error() { return errno; }

std::string lookup_words(int failure) { return gai_strerror(failure); }

#endif

}  // namespace polynya::sockets
