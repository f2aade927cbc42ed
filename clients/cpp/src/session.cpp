#include "session.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <list>
#include <memory>
#include <polynya/errors.hpp>
#include <thread>
#include <typeinfo>
#include <utility>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

#include "fields.hpp"
#include "moments.hpp"
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

// What is said because of a failure.
std::string farewell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return "the bot ended by " + type_name(known);
  } catch (...) {
    return "the bot ended by an exception";
  }
}

// Count an event of a match. Throws ConnectionLost if one is missing: only connecting again can bring
// the match back.
void follow(const std::string& id, std::uint64_t& next, const Json& message) {
  const std::uint64_t seq = fields::count(message, "seq");
  if (seq != next) {
    throw ConnectionLost("match " + printable(id) + ": event " + std::to_string(next) +
                         " is missing, " + std::to_string(seq) + " came instead");
  }
  ++next;
}

}  // namespace

Session::Session(std::shared_ptr<Connection> connection, const Json& hello)
    : connection_(std::move(connection)) {
  connection_->send(hello);
  Json message = receive_before_welcome(*connection_);
  while (fields::kind(message) != "welcome") {
    if (fields::kind(message) == "error") report(message);
    message = receive_before_welcome(*connection_);
  }
  name = fields::optional(message, "bot", fields::string).value_or("");
  token = fields::optional(message, "token", fields::string).value_or("");
  const auto beat = std::min(fields::count(message, "heartbeat_ms"), longest_heartbeat_ms);
  connection_->agree(fields::count(message, "max_frame"),
                     silent_heartbeats * std::chrono::milliseconds(beat));
}

std::string Session::play(Bot& bot) {
  std::string reason;
  try {
    reason = play_matches(bot);
  } catch (const ClientError& error) {
    if (!failure_) bot.disconnected(error.what());
    throw;
  }
  bot.disconnected(printable(reason));
  return reason;
}

std::string Session::play_matches(Bot& bot) {
  const auto queue = std::make_shared<Queue>();
  std::string reason;
  std::exception_ptr ended;
  std::thread receiving([&] {
    try {
      reason = receive_all([&] { return queue; }, [](Queue&) {});
    } catch (...) {
      ended = std::current_exception();
    }
    queue->end();
  });
  try {
    bot.connected(name);
    work(bot, *queue);
  } catch (...) {  // the hook has failed
    fail(std::current_exception());
    queue->close();
  }
  receiving.join();
  if (failure_) std::rethrow_exception(failure_);
  if (ended) std::rethrow_exception(ended);
  return reason;
}

std::string Session::play_each(const MakeBot& make) {
  struct Running {
    std::shared_ptr<std::atomic<bool>> ended = std::make_shared<std::atomic<bool>>(false);
    std::thread thread;
  };
  std::list<Running> threads;
  const auto join = [&](bool all) {
    threads.remove_if([&](Running& running) {
      if (!all && !*running.ended) return false;
      running.thread.join();
      return true;
    });
  };
  const auto queue_for = [&] {
    join(false);
    auto queue = std::make_shared<Queue>();
    Running& running = threads.emplace_back();
    running.thread = std::thread([this, &make, queue, ended = running.ended] {
      try {
        work(*make(), *queue);
      } catch (...) {  // make itself has failed
        fail(std::current_exception());
        queue->close();
      }
      *ended = true;
    });
    return queue;
  };
  std::string reason;
  std::exception_ptr ended;
  try {
    reason = receive_all(queue_for, [](Queue& queue) { queue.end(); });
  } catch (...) {
    ended = std::current_exception();
  }
  join(true);
  if (failure_) std::rethrow_exception(failure_);
  if (ended) std::rethrow_exception(ended);
  return reason;
}

// Let the bot play what comes; a failure of its own ends the session.
void Session::work(Bot& bot, Queue& queue) {
  try {
    Worker(bot, queue, told_).run();
  } catch (const ConnectionLost&) {
    connection_->hang_up();  // the receiving thread knows better why
  } catch (...) {
    fail(std::current_exception());
  }
  queue.close();
}

void Session::fail(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
  }
  connection_->leave(farewell(failure));
}

// Receive until the server says goodbye; its reason.
std::string Session::receive_all(const QueueFor& queue_for, const Ending& ending) {
  const auto abandon_all = [&] {
    for (auto& [id, route] : routes_) {
      route.asking->abandon("the connection has ended");
      ending(*route.queue);
    }
  };
  try {
    while (true) {
      Arrived arrived = connection_->receive();
      if (fields::kind(arrived.message) == "goodbye") {
        abandon_all();
        return fields::optional(arrived.message, "reason", fields::string).value_or("");
      }
      handle(std::move(arrived), queue_for, ending);
    }
  } catch (const ConnectionLost&) {
    abandon_all();
    connection_->hang_up();
    throw;
  } catch (const ServerError&) {
    abandon_all();
    connection_->hang_up();
    throw;
  } catch (...) {
    abandon_all();
    connection_->leave(farewell(std::current_exception()));
    throw;
  }
}

// Act on a message; types and matches that we do not know are ignored.
void Session::handle(Arrived arrived, const QueueFor& queue_for, const Ending& ending) {
  const Json& message = arrived.message;
  const std::string kind = fields::kind(message);
  if (kind == "match_start" || kind == "match_resume") {
    begin(message, queue_for, ending);
  } else if (kind == "ping") {
    connection_->send({{"type", "pong"}, {"nonce", message.value("nonce", Json())}});
  } else if (kind == "legal") {
    if (Route* route = about(message)) route->asking->answer(message);
  } else if (kind == "error") {
    Route* route = about(message);
    const bool is_hint = message.value("fatal", Json()) == false;
    if (!is_hint || route == nullptr || !route->asking->answer(message)) report(message);
  } else if (kind == "notice") {
    tell_author(message);
  } else if (kind == "turn" || kind == "moved" || kind == "forfeited" || kind == "match_over") {
    event(std::move(arrived), ending);
  }
}

void Session::begin(const Json& message, const QueueFor& queue_for, const Ending& ending) {
  Match match(message, connection_);
  if (const auto before = routes_.find(match.id); before != routes_.end()) {
    before->second.asking->abandon("the match begins again");
    ending(*before->second.queue);
    routes_.erase(before);
  }
  Route route{match.seat, fields::count(message, "seq") + 1, match.shared_asking(), queue_for()};
  const auto queue = route.queue;
  routes_.emplace(match.id, std::move(route));
  queue->put(Begin{std::move(match)});
}

void Session::event(Arrived arrived, const Ending& ending) {
  const Json& message = arrived.message;
  const std::string id = fields::string(message, "match");
  const auto found = routes_.find(id);
  if (found == routes_.end()) return;
  Route& route = found->second;
  follow(id, route.next_seq, message);
  const std::string kind = fields::kind(message);
  if (kind == "turn") {
    const Cancellation cancellation(deadline_of(arrived));
    route.asking->begin(fields::count(message, "turn"), cancellation);
    route.queue->put(Asks{id, std::move(arrived), cancellation});
    return;
  }
  if (kind == "match_over") route.asking->abandon("the match is over");
  if (kind == "forfeited" && fields::seat(message, "seat") == route.seat) {
    route.asking->abandon("the match is forfeited");
  }
  route.queue->put(Event{id, std::move(arrived.message)});
  if (kind == "match_over") {
    ending(*route.queue);
    routes_.erase(found);
  }
}

// The match that a message is about, if we know it.
Session::Route* Session::about(const Json& message) {
  const Json id = message.value("match", Json());
  const auto found = id.is_string() ? routes_.find(id.get<std::string>()) : routes_.end();
  return found == routes_.end() ? nullptr : &found->second;
}

}  // namespace polynya
