#include "session.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <polynya/errors.hpp>
#include <typeinfo>
#include <utility>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

#include "fields.hpp"
#include "keep_alive.hpp"
#include "remarks.hpp"
#include "warn.hpp"

namespace polynya {
namespace {

constexpr int silent_heartbeats = 3;
constexpr std::uint64_t longest_heartbeat_ms = 24 * 60 * 60 * 1000;

// Tell the author of an error that is not fatal; throws ServerError if it is.
void report(const Json& message) {
  const std::string code = printable(fields::string(message, "code"));
  const std::string sentence = printable(fields::string(message, "message"));
  if (message.value("fatal", Json()) != false) throw ServerError(code, sentence);
  warn("the server says " + code + ": " + sentence);
}

// Tell the author what the server wants him to know; nothing in it ends the bot.
void tell_author(const Json& notice) {
  const auto text = [&](const char* key) {
    const auto found = notice.find(key);
    const bool is_text = found != notice.end() && found->is_string();
    return is_text ? printable(found->get_ref<const std::string&>()) : std::string();
  };
  warn("the server says " + text("code") + ": " + text("message"));
}

// The move of a turn.
Json answer(const Turn& turn, const Steps& steps, bool& told) {
  if (steps.empty()) {
    throw BadTurn("the bot gave no steps as its turn: give some, [[\"move\", 12, 40]]");
  }
  Json move = {{"type", "move"}, {"match", turn.match.id}, {"turn", turn.number}, {"steps", steps}};
  if (turn.info.empty()) return move;
  if (const std::string wrong = unsendable(turn.info); wrong.empty()) {
    move["info"] = turn.info;
  } else if (!std::exchange(told, true)) {
    warn("turn " + std::to_string(turn.number) + " of match " + printable(turn.match.id) +
         " is sent without its info: " + wrong + " (this is said once)");
  }
  return move;
}

// The name of an exception's type, as far as this compiler says it.
std::string type_name(const std::exception& failure) {
  const char* mangled = typeid(failure).name();
#if __has_include(<cxxabi.h>)
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  if (name) return name.get();
#endif
  return mangled;
}

// The next message while no welcome has come: who fails then is hardly a Polynya server, or one with
// TLS.
Json receive_before_welcome(Connection& connection) {
  const std::string remedy = "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?";
  try {
    return connection.receive().message;
  } catch (const BadFrame& error) {
    throw BadFrame(error.code,
                   "what answers there is no Polynya server; " + remedy + " " + error.what());
  } catch (const ConnectionLost& error) {
    throw ConnectionLost(std::string(error.what()) + ", before any welcome; " + remedy);
  }
}

}  // namespace

Session::Session(std::shared_ptr<Connection> connection, Bot& bot, const Json& hello)
    : connection_(std::move(connection)), bot_(bot), inbox_(connection_) {
  connection_->send(hello);
  Json message = receive_before_welcome(*connection_);
  while (fields::kind(message) != "welcome") {
    if (fields::kind(message) == "error") report(message);
    message = receive_before_welcome(*connection_);
  }
  name = fields::optional(message, "bot", fields::string).value_or("");
  token = fields::optional(message, "token", fields::string).value_or("");
  const auto beat = std::min(fields::count(message, "heartbeat_ms"), longest_heartbeat_ms);
  heartbeat_ = std::chrono::milliseconds(beat);
  connection_->agree(fields::count(message, "max_frame"), silent_heartbeats * heartbeat_);
}

std::string Session::play() {
  const KeepAlive keep_alive(*connection_, heartbeat_);
  try {
    while (true) {
      Arrived arrived = inbox_.next();
      if (fields::kind(arrived.message) == "goodbye") {
        return fields::optional(arrived.message, "reason", fields::string).value_or("");
      }
      handle(std::move(arrived));
    }
  } catch (const ConnectionLost&) {
    throw;
  } catch (const ServerError&) {
    throw;
  } catch (const std::exception& failure) {
    connection_->leave("the bot ended by " + type_name(failure));
    throw;
  } catch (...) {
    connection_->leave("the bot ended by an exception");
    throw;
  }
}

// Act on a message; types and matches that we do not know are ignored.
void Session::handle(Arrived arrived) {
  const Json& message = arrived.message;
  const std::string kind = fields::kind(message);
  if (kind == "match_start" || kind == "match_resume") begin(message);
  if (kind == "ping") inbox_.pong(message);
  if (kind == "error") report(message);
  if (kind == "notice") tell_author(message);
  if (kind == "turn" || kind == "moved" || kind == "forfeited" || kind == "match_over") {
    const auto found = matches_.find(fields::string(message, "match"));
    if (found == matches_.end()) return;
    found->second.follow(message);
    if (kind == "turn") {
      take_turn(found->second, std::move(arrived));
    } else {
      tell(found->second, message);
      if (kind == "match_over") matches_.erase(found);
    }
  }
}

void Session::begin(const Json& message) {
  Match match(message, connection_);
  const std::string id = match.id;
  matches_.erase(id);
  Match& playing = matches_.emplace(id, std::move(match)).first->second;
  bot_.match_start(playing);
  if (!playing.resumed) {  // a bot that has come back counts as ready
    connection_->send({{"type", "ready"}, {"match", id}});
  }
}

void Session::take_turn(Match& match, Arrived arrived) {
  Turn turn(match, std::move(arrived), inbox_);
  try {
    const Steps steps = bot_.turn(turn);
    if (!match.resigned()) connection_->send(answer(turn, steps, told_));
  } catch (const TurnLost& lost) {
    warn("no move for turn " + std::to_string(turn.number) + " of match " + printable(match.id) +
         ": " + lost.what());
  }
}

void Session::tell(Match& match, const Json& message) {
  const std::string kind = fields::kind(message);
  if (kind == "moved") {
    bot_.moved(match, read_moved(message));
  } else if (kind == "forfeited") {
    forfeit(match, read_forfeited(message));
  } else {
    bot_.match_over(match, read_match_over(message));
  }
}

void Session::forfeit(Match& match, const Forfeited& forfeited) {
  if (forfeited.seat == match.seat && !match.resigned()) {
    warn("match " + printable(match.id) + " forfeited (" + printable(forfeited.reason) +
         "): " + printable(forfeited.detail));
  }
  bot_.forfeited(match, forfeited);
}

}  // namespace polynya
