#include <polynya/events.hpp>

#include "fields.hpp"

namespace polynya {
namespace {

std::vector<Json> read_seen(const Json& message) {
  return fields::optional(message, "seen", fields::list).value_or(std::vector<Json>{});
}

}  // namespace

std::vector<Player> read_players(const Json& message) {
  std::vector<Player> players;
  for (const Json& player : fields::list(message, "players")) {
    players.push_back({fields::seat(player, "seat"), fields::string(player, "name"),
                       fields::optional(player, "rating", fields::number)});
  }
  return players;
}

Clock read_clock(const Json& message) {
  const Json& clock = fields::map(message, "clock");
  return {fields::optional(clock, "initial_ms", fields::count),
          fields::optional(clock, "increment_ms", fields::count),
          fields::optional(clock, "move_ms", fields::count)};
}

Legal read_legal(const Json& message) {
  return {fields::list(message, "legal"), fields::boolean(message, "turn_over")};
}

Moved read_moved(const Json& message) {
  std::vector<std::optional<std::int64_t>> remaining;
  for (const Json& budget : fields::list(message, "remaining_ms")) {
    remaining.push_back(budget.is_number_integer() ? std::optional(budget.get<std::int64_t>())
                                                   : std::nullopt);
  }
  const std::optional<Steps> steps = fields::optional(message, "steps", fields::list);
  return {fields::count(message, "turn"),
          fields::seat(message, "seat"),
          steps.value_or(Steps{}),
          fields::count(message, "elapsed_ms"),
          std::move(remaining),
          message,
          !steps,
          fields::optional(message, "acting", fields::seats),
          read_seen(message)};
}

Forfeited read_forfeited(const Json& message) {
  return {fields::seat(message, "seat"),
          fields::string(message, "reason"),
          fields::string(message, "detail"),
          message,
          fields::optional(message, "turn", fields::count),
          fields::optional(message, "acting", fields::seats),
          read_seen(message)};
}

MatchOver read_match_over(const Json& message) {
  std::vector<RatingChange> ratings;
  for (const Json& change : fields::optional(message, "ratings", fields::list).value_or(Steps{})) {
    ratings.push_back({fields::string(change, "name"), fields::number(change, "before"),
                       fields::number(change, "after")});
  }
  return {fields::string(message, "reason"),
          fields::optional(message, "ranking", fields::integers),
          fields::optional(message, "scores", fields::integers),
          fields::optional(message, "detail", fields::string),
          fields::optional(message, "replay", fields::string),
          std::move(ratings),
          message,
          fields::optional(message, "deal", fields::string)};
}

}  // namespace polynya
