// One connection: messages out from any thread, messages in, blocking.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <polynya/settings.hpp>
#include <string>

#include "addresses.hpp"
#include "codec.hpp"
#include "frame_log.hpp"
#include "transport.hpp"

namespace polynya {

// A message and when it was read from the socket.
struct Arrived {
  Json message;
  std::chrono::steady_clock::time_point at;
};

// Reading is for one thread, and holds up those who send only for a moment.
class Connection {
 public:
  // The patience is how long the server may take to connect, and then to welcome the bot. Throws
  // ConnectionLost if nobody listens there, or the certificate is not good; BadSettings.
  Connection(const Address& server, std::chrono::milliseconds patience, const Settings& settings);

  // What the server's welcome says: the largest frame that it takes, in bytes, and how long it or
  // we may be silent.
  void agree(std::size_t max_frame, std::chrono::milliseconds patience);

  // Send one message. Throws BadFrame if it is too large for the server, ConnectionLost.
  void send(const Json& message);

  // Wait for the next message. Throws BadFrame if what came is no frame of the protocol,
  // ConnectionLost if the connection broke or was closed, or the server was silent for too long.
  Arrived receive();

  // Say goodbye, if the connection still carries it, and hang up: nothing is sent or received after
  // that.
  void leave(const std::string& reason) noexcept;

  // Send and receive no more; the receiving thread wakes up.
  void hang_up() noexcept;

  // How long the server may be silent.
  std::chrono::milliseconds patience() const { return socket_.patience(); }

 private:
  std::string read();

  Socket socket_;
  std::mutex wire_;  // guards the three that follow
  std::unique_ptr<Transport> transport_;
  FrameLog log_;
  bool left_ = false;  // whether we have said goodbye
  std::atomic<std::size_t> max_frame_ = default_max_frame;
  FrameBuffer buffer_;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace polynya
