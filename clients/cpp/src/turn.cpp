#include <algorithm>
#include <polynya/errors.hpp>
#include <polynya/turn.hpp>

#include "asking.hpp"
#include "moments.hpp"

namespace polynya {
namespace {

// Whether there is a map under this key. Throws BadMessage if there is something else.
bool has_map(const Json& message, const char* key) {
  return fields::optional(message, key, [](const Json& m, const char* k) {
           return fields::map(m, k).is_object();
         }).has_value();
}

}  // namespace

Turn::Turn(Match& playing, Arrived arrived, Cancellation cancelled)
    : match(playing),
      number(fields::count(arrived.message, "turn")),
      remaining_ms(milliseconds(fields::count(arrived.message, "remaining_ms"))),
      deadline(arrived.at + remaining_ms),
      message(std::move(arrived.message)),
      arrived_(arrived.at),
      has_state_(has_map(message, "state")),
      legal_(fields::optional(message, "legal", fields::list)),
      cancellation_(std::move(cancelled)) {}

const Json& Turn::state() const {
  if (!has_state_) throw NotWanted("this turn has no state: ask for it with Settings::wants \"state\"");
  return message.at("state");
}

const Steps& Turn::legal() const {
  if (!legal_) throw NotWanted("this turn has no legal steps: ask with Settings::wants \"legal\"");
  return *legal_;
}

Legal Turn::legal_after(const Steps& steps) const {
  return match.asking().ask(match.id, number, steps);
}

std::chrono::nanoseconds Turn::time_left() const {
  return std::max(remaining(), std::chrono::nanoseconds::zero());
}

std::chrono::nanoseconds Turn::remaining() const {
  return deadline - std::chrono::steady_clock::now();
}

Turn::TimePoint Turn::think_until(int turns_left, Milliseconds margin) const {
  Milliseconds allotted = remaining_ms;
  if (match.clock.initial_ms) {
    const Milliseconds increment = milliseconds(match.clock.increment_ms.value_or(0));
    allotted = std::min(allotted, allotted / std::max(turns_left, 1) + increment);
  }
  const Milliseconds thinking = std::min(allotted * 4 / 5, remaining_ms - margin);
  return arrived_ + std::max(thinking, allotted * 3 / 10);
}

}  // namespace polynya
