// What a session receives: in order, except that the answer to a question comes at once.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <polynya/events.hpp>
#include <polynya/turn.hpp>

#include "connection.hpp"

namespace polynya {

class Inbox {
 public:
  explicit Inbox(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  // The next message; those put off come first.
  Arrived next();

  // Echo a nonce.
  void pong(const Json& ping);

  // The steps that may follow these in a turn, asked of the server; everything else that arrives
  // meanwhile is put off. Throws TurnLost if nobody will answer any more.
  Legal ask(const Turn& turn, const Steps& steps);

 private:
  std::shared_ptr<Connection> connection_;
  std::deque<Arrived> put_off_;
};

}  // namespace polynya
