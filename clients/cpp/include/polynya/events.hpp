/// @file
/// What happens in a match, as values read from the server's messages.

#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace polynya {

/// A value of a message: a map, an array, text, a number, true, false or null.
using Json = nlohmann::json;
/// A verb and its arguments: Json::array({"move", 12, 40}).
using Step = Json;
/// The steps of a turn.
using Steps = std::vector<Step>;

/// Who sits at a seat; no rating for a bot without one.
struct Player {
  std::size_t seat;  ///< from 0
  std::string name;  ///< of the bot
  std::optional<double> rating;  ///< nothing for a bot without one
};

/// The time limits of a match in ms, empty where there is no such limit.
struct Clock {
  std::optional<std::uint64_t> initial_ms;  ///< a player's budget for the whole match
  std::optional<std::uint64_t> increment_ms;  ///< what is added to it after each of his turns
  std::optional<std::uint64_t> move_ms;  ///< the cap of every single turn
};

/// What may follow the first steps of a turn: the legal steps, and whether the turn is over.
struct Legal {
  Steps steps;  ///< sorted
  bool turn_over;  ///< whether the steps that were asked about are a whole turn
};

/// A turn that was played.
struct Moved {
  std::uint64_t turn;  ///< its number in the match, from 1
  std::size_t seat;  ///< who played it
  Steps steps;  ///< the whole turn; empty if it is concealed from us
  std::uint64_t elapsed_ms;  ///< the time it was charged
  std::vector<std::optional<std::int64_t>> remaining_ms;  ///< each seat's budget after it, if any
  Json message = {};  ///< as it came, with keys that have no member here
  bool concealed = false;  ///< whether the steps are kept from us, in a match with hidden parts
  /// The seats that are asked next, in matches with joint turns or hidden parts: none at the end.
  /// Nothing elsewhere, and before the last event of a turn.
  std::optional<std::vector<std::size_t>> acting = {};
  std::vector<Json> seen = {};  ///< what we learnt by it beyond the steps that we were told
};

/// A seat has forfeited: the protocol's word for why, and a sentence.
struct Forfeited {
  std::size_t seat;  ///< whose, perhaps ours
  std::string reason;  ///< such as "timeout"
  std::string detail;  ///< a sentence
  Json message = {};  ///< as it came, with keys that have no member here
  /// The number of the turn, in matches with joint turns or hidden parts.
  std::optional<std::uint64_t> turn = {};
  std::optional<std::vector<std::size_t>> acting = {};  ///< as in Moved
  std::vector<Json> seen = {};  ///< as in Moved
};

/// A rating that a match has changed.
struct RatingChange {
  std::string name;  ///< of the bot
  double before;  ///< the rating before
  double after;  ///< the rating after
};

/// The result of a match.
struct MatchOver {
  std::string reason;  ///< "finished", "forfeit", "aborted" or "annulled"
  std::optional<std::vector<std::int64_t>>
      ranking;  ///< of each seat, 1 the best, if there is a result
  std::optional<std::vector<std::int64_t>> scores;  ///< of each seat, if there is a result
  std::optional<std::string> detail;  ///< a sentence where more is to be said
  std::optional<std::string> replay;  ///< the id under which the server keeps it
  std::vector<RatingChange> ratings;  ///< those that changed
  Json message = {};  ///< as it came, with keys that have no member here
  /// What the match's chance followed from, in hexadecimal; nothing without hidden chance.
  std::optional<std::string> deal = {};
};

/// @cond internal
/// A message as one of these. They throw BadMessage if a key is missing or of another type.
std::vector<Player> read_players(const Json& message);
Clock read_clock(const Json& message);
Legal read_legal(const Json& message);
Moved read_moved(const Json& message);
Forfeited read_forfeited(const Json& message);
MatchOver read_match_over(const Json& message);
/// @endcond

}  // namespace polynya
