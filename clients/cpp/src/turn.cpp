#include <algorithm>
#include <polynya/errors.hpp>
#include <polynya/turn.hpp>

#include "fields.hpp"
#include "inbox.hpp"

namespace polynya {
namespace {

// A clock that no match has, so that sums of times do not overflow, in ms (31 years).
constexpr std::uint64_t forever_ms = 1'000'000'000'000;

Turn::Milliseconds milliseconds(std::uint64_t count) {
  return Turn::Milliseconds(static_cast<std::int64_t>(std::min(count, forever_ms)));
}

}  // namespace

Turn::Turn(Match& playing, Arrived arrived, Inbox& inbox)
    : match(playing),
      number(fields::count(arrived.message, "turn")),
      remaining_ms(milliseconds(fields::count(arrived.message, "remaining_ms"))),
      deadline(arrived.at + remaining_ms),
      arrived_(arrived.at),
      state_(fields::optional(
          arrived.message, "state",
          [](const Json& m, const char* key) { return Json(fields::map(m, key)); })),
      legal_(fields::optional(arrived.message, "legal", fields::list)),
      inbox_(inbox) {}

const Json& Turn::state() const {
  if (!state_) throw NotWanted("this turn has no state: ask for it with Settings::wants \"state\"");
  return *state_;
}

const Steps& Turn::legal() const {
  if (!legal_) throw NotWanted("this turn has no legal steps: ask with Settings::wants \"legal\"");
  return *legal_;
}

Legal Turn::legal_after(const Steps& steps) { return inbox_.ask(*this, steps); }

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
