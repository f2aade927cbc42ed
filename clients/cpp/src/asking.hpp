// The turn that the server asks for in a match, and the bot's questions about it.
//
// The receiving thread and the bot's share it: one hears that the turn is over, the other thinks.

#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <polynya/cancellation.hpp>
#include <polynya/events.hpp>
#include <string>

#include "connection.hpp"

namespace polynya {

class Asking {
 public:
  explicit Asking(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  // Send a message of the match. Throws ConnectionLost.
  void send(const Json& message) { connection_->send(message); }

  // Another turn is being asked for.
  void begin(std::uint64_t number, const Cancellation& cancellation);

  // The server no longer waits for the turn that it has asked for, if it has.
  void abandon(const std::string& why);

  // Whether the server still waits for this turn.
  bool is_asked(std::uint64_t number);

  // The steps that may follow these in a turn, asked of the server. Throws TurnLost if the server
  // refuses the question, or no longer waits for the turn.
  Legal ask(const std::string& match, std::uint64_t number, const Steps& steps);

  // Take an answer, legal or error; whether it was one. Answers come in the order of the questions;
  // an error that names an earlier turn is none. Throws BadMessage.
  bool answer(const Json& message);

 private:
  struct Asked {
    std::uint64_t number;
    Cancellation cancellation;
    std::deque<std::promise<Legal>> questions;
  };

  std::shared_ptr<Connection> connection_;
  std::mutex sending_;  // held while a question is sent, so that the answers come in their order
  std::mutex mutex_;    // guards what follows
  std::optional<Asked> asked_;
};

}  // namespace polynya
