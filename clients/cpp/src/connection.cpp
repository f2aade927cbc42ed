#include "connection.hpp"

#include <exception>
#include <polynya/errors.hpp>

namespace polynya {

using std::chrono::steady_clock;

Connection::Connection(const Address& server, std::chrono::milliseconds patience,
                       const Settings& settings)
    : socket_(server, patience),
      transport_(settings.tls ? encrypted(socket_, server, settings.ca_file)
                              : std::make_unique<Transport>(socket_)),
      log_(settings.log, settings.name) {}

void Connection::agree(std::size_t max_frame, std::chrono::milliseconds patience) {
  max_frame_ = max_frame;
  socket_.set_patience(patience);
}

void Connection::send(const Json& message) {
  const std::string frame = encode(message, max_frame_);
  const std::lock_guard lock(wire_);
  if (left_) throw ConnectionLost("we have said goodbye");
  transport_->write(frame);
  log_.write("sent", message);
}

Arrived Connection::receive() {
  std::optional<std::string_view> payload;
  while (!(payload = buffer_.take())) {
    buffer_.add(read());
    read_at_ = steady_clock::now();
  }
  Json message = decode(*payload);
  const std::lock_guard lock(wire_);
  log_.write("received", message);
  return {std::move(message), read_at_};
}

void Connection::leave(const std::string& reason) noexcept {
  try {
    send({{"type", "goodbye"}, {"reason", reason}});
  } catch (const std::exception&) {
    // nobody is there to hear it
  }
  hang_up();
}

void Connection::hang_up() noexcept {
  {
    const std::lock_guard lock(wire_);
    left_ = true;
  }
  socket_.hang_up();
}

// Wait without the lock, then read what is there.
std::string Connection::read() {
  if (!socket_.wait()) throw ConnectionLost("the server was silent for three heartbeats");
  const std::lock_guard lock(wire_);
  std::string data = transport_->read();
  if (data.empty()) throw ConnectionLost("the server closed the connection without a goodbye");
  return data;
}

}  // namespace polynya
