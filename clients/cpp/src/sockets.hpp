// TCP sockets as this system has them: POSIX (Linux, macOS and others) or Windows.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

namespace polynya::sockets {

#ifdef _WIN32
using Handle = SOCKET;
constexpr Handle none = INVALID_SOCKET;
#else
using Handle = int;
constexpr Handle none = -1;
#endif

// Make sockets usable: Windows asks for it.
void start();

// A new socket for an address, which programs that this one starts do not inherit; none on failure.
Handle open(const addrinfo& address);

void close(Handle handle);

// Whoever reads or writes wakes up, in any thread.
void shut_down(Handle handle);

// How long reads and writes may take, and that small messages are sent at once.
void set_timeouts(Handle handle, std::chrono::milliseconds time);
void set_no_delay(Handle handle);

// Wait until there is something to read: 1; 0 if nothing came in this time; below 0 on failure.
int wait(Handle handle, std::chrono::milliseconds time);

// Send or receive at most so many bytes; how many, below 0 on failure.
std::ptrdiff_t send(Handle handle, const char* data, std::size_t size);
std::ptrdiff_t receive(Handle handle, char* data, std::size_t size);

// What was wrong last, as a number of this system, and in words.
int error();
std::string words(int error);

// What getaddrinfo's failure means.
std::string lookup_words(int failure);

}  // namespace polynya::sockets
