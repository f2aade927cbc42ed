// How long to wait before the next attempt to connect, and when to give up.

#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

namespace polynya {

// The pauses of a bot that wants to come back. They double from 0.1 s to 5 s, from 2.5 s where the
// server has said that it wants nobody now, and each is shortened by up to a half at random, so that
// bots that left together do not return together. A session of 5 s begins them anew, and any session
// does that a lost connection ended: its bot may be in a match.
class Retries {
 public:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;

  // How long to try, from the first failure on or after any welcome.
  explicit Retries(Milliseconds total) : total_(total) {}

  // A session has begun.
  void welcome() {
    welcome_at_ = Clock::now();
    failing_since_.reset();
  }

  // How long to wait after a loss, or after a word of the server; nothing if the time is over.
  std::optional<Milliseconds> after(bool is_word) {
    const auto now = Clock::now();
    if (welcome_at_ && (!is_word || now - *welcome_at_ >= longest)) pause_ = after_a_loss;
    welcome_at_.reset();
    if (!failing_since_) failing_since_ = now;
    const auto left = total_ - std::chrono::duration_cast<Milliseconds>(now - *failing_since_);
    if (left <= Milliseconds::zero()) return {};
    const Milliseconds pause = is_word ? std::max(pause_, after_a_word) : pause_;
    pause_ = std::min(pause * 2, longest);
    std::uniform_int_distribution<Milliseconds::rep> shortened(pause.count() / 2, pause.count());
    return std::min(Milliseconds(shortened(dice_)), left);
  }

 private:
  static constexpr Milliseconds after_a_loss{100};
  static constexpr Milliseconds after_a_word{2500};
  static constexpr Milliseconds longest{5000};

  Milliseconds total_;
  Milliseconds pause_ = after_a_loss;
  std::optional<Clock::time_point> failing_since_;
  std::optional<Clock::time_point> welcome_at_;
  std::random_device dice_;
};

}  // namespace polynya
