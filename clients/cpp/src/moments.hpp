// The times in messages, on the clock of this computer.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "connection.hpp"
#include "fields.hpp"

namespace polynya {

// Milliseconds of a message: no more than 31 years, so that sums of times do not overflow.
inline std::chrono::milliseconds milliseconds(std::uint64_t count) {
  constexpr std::uint64_t forever_ms = 1'000'000'000'000;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(count, forever_ms)));
}

// When the time of a turn is over. Throws BadMessage.
inline std::chrono::steady_clock::time_point deadline_of(const Arrived& turn) {
  return turn.at + milliseconds(fields::count(turn.message, "remaining_ms"));
}

}  // namespace polynya
