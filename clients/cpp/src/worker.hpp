// The bot's own thread: the events of its matches, in their order, while another thread receives.

#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <polynya/bot.hpp>
#include <polynya/cancellation.hpp>
#include <string>
#include <variant>

#include "connection.hpp"

namespace polynya {

// A match begins, or is taken up again.
struct Begin {
  Match match;
};

// The server asks for a turn of this match.
struct Asks {
  std::string match;
  Arrived arrived;
  Cancellation cancellation;
};

// moved, forfeited or match_over.
struct Event {
  std::string match;
  Json message;
};

using Task = std::variant<Begin, Asks, Event>;

// What the receiving thread gives the bot's; what comes ends the thinking on the opponents' time.
class Queue {
 public:
  // A task for the bot; nothing if its thread has ended. Waits while too many are there.
  void put(Task task);

  // There will be no more.
  void end();

  // The bot takes no more.
  void close();

  // The next task, after letting the bot think until it comes; nothing if there are no more.
  std::optional<Task> next(const std::function<void(const Cancellation&)>& ponder);

 private:
  std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool ended_ = false;
  bool closed_ = false;
  Cancellation pondering_;
};

// A bot with the matches that it plays in this thread.
class Worker {
 public:
  // told: whether the author knows that remarks were left out.
  Worker(Bot& bot, Queue& queue, std::atomic<bool>& told)
      : bot_(bot), queue_(queue), told_(told) {}

  // Do the tasks until there are no more. Throws what the bot throws.
  void run();

 private:
  void ponder(const Cancellation& until);
  void handle(Begin& begin);
  void handle(Asks& asks);
  void handle(Event& event);
  void forfeit(Match& match, const Forfeited& forfeited);
  Json answer(const Turn& turn, const Steps& steps);

  Bot& bot_;
  Queue& queue_;
  std::atomic<bool>& told_;
  std::map<std::string, Match> matches_;
  std::string last_;  // the match of the last event: the one to think about while the others move
};

}  // namespace polynya
