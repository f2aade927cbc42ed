// The bytes below the frames: a TCP socket, with or without TLS.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "addresses.hpp"
#include "sockets.hpp"

namespace polynya {

// A connected socket. Everything throws ConnectionLost if the connection breaks.
class Socket {
 public:
  // The patience is that for connecting, and at first that for reading and writing. Throws
  // ConnectionLost if nobody listens there.
  Socket(const Address& server, std::chrono::milliseconds patience);
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  // How long the peer may be silent, and how long it may refuse to read.
  void set_patience(std::chrono::milliseconds time);
  std::chrono::milliseconds patience() const { return patience_; }

  // Wait until there is something to read; false if the peer was silent for too long.
  bool wait() const;

  // Send and receive no more; whoever waits wakes up.
  void hang_up() const;

  sockets::Handle handle() const { return handle_; }

 private:
  sockets::Handle handle_;
  std::chrono::milliseconds patience_{};
};

// What carries the bytes. Reading is asked for only when the socket has something.
class Transport {
 public:
  explicit Transport(Socket& socket) : socket_(socket) {}
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  // Send all of the data.
  virtual void write(std::string_view data);

  // What has arrived; empty if the peer has closed the connection.
  virtual std::string read();

 protected:
  Socket& socket_;
};

// TLS over a socket; the server's certificate is verified. Throws ConnectionLost if it is not good,
// BadSettings if TLS is not built in, or there are no certificates to trust.
std::unique_ptr<Transport> encrypted(Socket& socket, const Address& server,
                                     const std::string& ca_file);

}  // namespace polynya
