#include "inbox.hpp"

#include <polynya/errors.hpp>

#include "fields.hpp"

namespace polynya {
namespace {

bool about_match(const Json& message, const Turn& turn) {
  return message.value("match", Json()) == turn.match.id;
}

bool about_turn(const Json& message, const Turn& turn) {
  return about_match(message, turn) && message.value("turn", Json()) == turn.number;
}

bool is_fatal(const Json& error) { return error.value("fatal", Json()) != false; }

// Whether an error about our match is about this turn, not about an earlier one.
bool answers(const Json& error, const Turn& turn) {
  const bool without_turn = error.value("turn", Json()).is_null();
  return !is_fatal(error) && about_match(error, turn) && (without_turn || about_turn(error, turn));
}

// Whether nobody will answer what we asked about this turn any more.
bool ends(const Json& message, const Turn& turn) {
  const std::string kind = fields::kind(message);
  if (kind == "goodbye" || kind == "error") return kind == "goodbye" || is_fatal(message);
  if (!about_match(message, turn)) return false;
  return kind == "match_over" ||
         (kind == "forfeited" && message.value("seat", Json()) == turn.seat());
}

}  // namespace

Arrived Inbox::next() {
  if (put_off_.empty()) return connection_->receive();
  Arrived first = std::move(put_off_.front());
  put_off_.pop_front();
  return first;
}

void Inbox::pong(const Json& ping) {
  connection_->send({{"type", "pong"}, {"nonce", ping.value("nonce", Json())}});
}

Legal Inbox::ask(const Turn& turn, const Steps& steps) {
  connection_->send(
      {{"type", "steps"}, {"match", turn.match.id}, {"turn", turn.number}, {"steps", steps}});
  while (true) {
    Arrived arrived = connection_->receive();
    const Json& message = arrived.message;
    const std::string kind = fields::kind(message);
    if (kind == "legal" && about_turn(message, turn)) return read_legal(message);
    if (kind == "error" && answers(message, turn)) {
      throw TurnLost(printable(fields::string(message, "message")));
    }
    if (kind == "ping") {
      pong(message);
      continue;
    }
    const bool over = ends(message, turn);
    put_off_.push_back(std::move(arrived));
    if (over) throw TurnLost("it ended by " + printable(kind));
  }
}

}  // namespace polynya
