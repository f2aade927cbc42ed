/// @file
/// A turn that the server asks this bot for.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <polynya/cancellation.hpp>
#include <polynya/events.hpp>
#include <polynya/match.hpp>
#include <string>

namespace polynya {

struct Arrived;

/// What a bot has to decide on, and until when.
class Turn {
 public:
  /// A moment of the steady clock.
  using TimePoint = std::chrono::steady_clock::time_point;
  /// A time as the protocol has it.
  using Milliseconds = std::chrono::milliseconds;

  /// What has arrived as a turn of this match. Throws BadMessage.
  Turn(Match& playing, Arrived arrived, Cancellation cancelled);

  Match& match;  ///< the match it belongs to
  std::uint64_t number;  ///< in the match, from 1
  Milliseconds remaining_ms;  ///< the time it had when it arrived
  TimePoint deadline;  ///< when that time is over
  Json info = Json::object();  ///< remarks to send with the move ("score", "depth", "text" and so
                               ///< on), kept in the replay; at most 1 KiB

  Json message;  ///< the turn as it came, with keys that have no member here

  /// The game's name.
  const std::string& game() const { return match.game; }
  /// Our seat.
  std::size_t seat() const { return match.seat; }

  /// The position, as in the game's rules; with Match::is_view what we may know of it. Throws
  /// NotWanted if the bot runs without "state".
  const Json& state() const;

  /// The legal first steps, sorted. Throws NotWanted if the bot runs without "legal".
  const Steps& legal() const;

  /// The steps that may follow these, asked of the server while our clock runs. Throws TurnLost if a
  /// step is illegal, or the turn is not asked for any more.
  Legal legal_after(const Steps& steps) const;

  /// Give the match up; what is chosen for this turn is not sent.
  void resign() { match.resign(); }

  /// Tells a search when to stop: the time is over, the match has ended, or the connection is lost.
  const Cancellation& cancellation() const { return cancellation_; }

  /// Whether a search is to stop now, as cancellation() says.
  bool is_cancelled() const { return cancellation_.is_cancelled(); }

  /// The time that is left now; zero when it is over.
  std::chrono::nanoseconds time_left() const;

  /// The same, negative when it is too late.
  std::chrono::nanoseconds remaining() const;

  /// When to stop thinking, if the match may have so many more turns of ours, and the margin is kept
  /// for the network and for other programs on the same processor.
  ///
  /// That is after four fifths of the turn's time, which with a budget for the match is a part of
  /// that budget and the increment; earlier where less than the margin would be left, but not before
  /// three tenths of the time.
  TimePoint think_until(int turns_left = 20, Milliseconds margin = Milliseconds(60)) const;

 private:
  TimePoint arrived_;
  bool has_state_;
  std::optional<Steps> legal_;
  Cancellation cancellation_;
};

}  // namespace polynya
