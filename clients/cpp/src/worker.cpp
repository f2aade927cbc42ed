#include "worker.hpp"

#include <polynya/errors.hpp>
#include <utility>

#include "asking.hpp"
#include "fields.hpp"
#include "remarks.hpp"
#include "warn.hpp"

namespace polynya {
namespace {

// How many events may wait for the bot before the server has to.
constexpr std::size_t waiting = 1024;

void no_move(const Turn& turn, const std::string& why) {
  warn("no move for turn " + std::to_string(turn.number) + " of match " +
       printable(turn.match.id) + ": " + why);
}

}  // namespace

void Queue::put(Task task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.size() < waiting || closed_; });
  tasks_.push_back(std::move(task));
  pondering_.cancel();
  changed_.notify_all();
}

void Queue::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  pondering_.cancel();
  changed_.notify_all();
}

void Queue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::optional<Task> Queue::next(const std::function<void(const Cancellation&)>& ponder) {
  std::unique_lock lock(mutex_);
  if (tasks_.empty() && !ended_) {
    pondering_ = Cancellation();
    const Cancellation until = pondering_;
    lock.unlock();
    ponder(until);
    lock.lock();
  }
  changed_.wait(lock, [&] { return !tasks_.empty() || ended_; });
  if (tasks_.empty()) return {};
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  changed_.notify_all();
  return task;
}

void Worker::run() {
  while (auto task = queue_.next([this](const Cancellation& until) { ponder(until); })) {
    std::visit([this](auto& what) { handle(what); }, *task);
  }
}

void Worker::ponder(const Cancellation& until) {
  const auto found = matches_.find(last_);
  if (found != matches_.end() && !found->second.is_lost()) bot_.ponder(found->second, until);
}

void Worker::handle(Begin& begin) {
  last_ = begin.match.id;
  matches_.erase(last_);
  Match& match = matches_.emplace(last_, std::move(begin.match)).first->second;
  bot_.match_start(match);
  if (match.resumed) return;  // a bot that has come back counts as ready
  match.asking().send({{"type", "ready"}, {"match", match.id}});
}

void Worker::handle(Asks& asks) {
  const auto found = matches_.find(asks.match);
  if (found == matches_.end()) return;
  last_ = asks.match;
  Match& match = found->second;
  Turn turn(match, std::move(asks.arrived), asks.cancellation);
  if (!match.asking().is_asked(turn.number)) return;  // it was lost before the bot came to it
  try {
    const Steps steps = bot_.turn(turn);
    if (match.is_lost()) return;
    if (match.asking().is_asked(turn.number)) {
      match.asking().send(answer(turn, steps));
    } else {
      no_move(turn, "it is not asked for any more");
    }
  } catch (const TurnLost& lost) {
    no_move(turn, lost.what());
  }
}

void Worker::handle(Event& event) {
  const auto found = matches_.find(event.match);
  if (found == matches_.end()) return;
  last_ = event.match;
  Match& match = found->second;
  const std::string kind = fields::kind(event.message);
  if (kind == "moved") {
    const Moved moved = read_moved(event.message);
    match.follow(moved.acting);
    bot_.moved(match, moved);
  } else if (kind == "forfeited") {
    forfeit(match, read_forfeited(event.message));
  } else {
    bot_.match_over(match, read_match_over(event.message));
    matches_.erase(found);
  }
}

void Worker::forfeit(Match& match, const Forfeited& forfeited) {
  if (forfeited.seat == match.seat && !match.lose()) {
    warn("match " + printable(match.id) + " forfeited (" + printable(forfeited.reason) +
         "): " + printable(forfeited.detail));
  }
  match.follow(forfeited.acting);
  bot_.forfeited(match, forfeited);
}

// The move of a turn.
Json Worker::answer(const Turn& turn, const Steps& steps) {
  if (steps.empty()) {
    throw BadTurn("the bot gave no steps as its turn: give some, [[\"move\", 12, 40]]");
  }
  Json move = {{"type", "move"}, {"match", turn.match.id}, {"turn", turn.number}, {"steps", steps}};
  if (turn.info.empty()) return move;
  if (const std::string wrong = unsendable(turn.info); wrong.empty()) {
    move["info"] = turn.info;
  } else if (!told_.exchange(true)) {
    warn("turn " + std::to_string(turn.number) + " of match " + printable(turn.match.id) +
         " is sent without its info: " + wrong + " (this is said once)");
  }
  return move;
}

}  // namespace polynya
