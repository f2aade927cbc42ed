// A session: what is done with each message of one connection.
//
// One thread receives, answers pings and ends searches that are not wanted any more; the bot has
// another one, or one for each match.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <polynya/bot.hpp>
#include <string>

#include "asking.hpp"
#include "connection.hpp"
#include "worker.hpp"

namespace polynya {

// A bot on a connection, from hello to goodbye.
class Session {
 public:
  // Say hello and wait for the welcome. Throws ServerError if the server does not take this bot,
  // and what play throws.
  Session(std::shared_ptr<Connection> connection, const Json& hello);

  std::string name;   // what the server knows us by
  std::string token;  // set if this session registered the name

  // Play with one bot, in this thread, whatever the server asks for until it says goodbye; its reason.
  // Matches that are going on when the bot itself fails are forfeited by our goodbye.
  //
  // Throws ConnectionLost, ServerError, BadFrame and BadMessage if the server does not speak this
  // protocol, and what the bot throws.
  std::string play(Bot& bot);

  // Play each match with a bot of its own, in a thread of its own; throws as play does.
  std::string play_each(const MakeBot& make);

 private:
  // A match as the receiving thread sees it.
  struct Route {
    std::size_t seat;
    std::uint64_t next_seq;
    std::shared_ptr<Asking> asking;
    std::shared_ptr<Queue> queue;
  };
  using QueueFor = std::function<std::shared_ptr<Queue>()>;
  using Ending = std::function<void(Queue&)>;

  std::string play_matches(Bot& bot);
  std::string receive_all(const QueueFor& queue_for, const Ending& ending);
  void handle(Arrived arrived, const QueueFor& queue_for, const Ending& ending);
  void begin(const Json& message, const QueueFor& queue_for, const Ending& ending);
  void event(Arrived arrived, const Ending& ending);
  void work(Bot& bot, Queue& queue);
  void fail(std::exception_ptr failure);
  Route* about(const Json& message);

  std::shared_ptr<Connection> connection_;
  std::map<std::string, Route> routes_;
  std::atomic<bool> told_ = false;  // whether the author knows that remarks were left out
  std::mutex mutex_;                // guards what follows
  std::exception_ptr failure_;      // the bot's first, which counts more than how the connection ended
};

}  // namespace polynya
