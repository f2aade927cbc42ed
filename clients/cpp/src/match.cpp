#include <polynya/errors.hpp>
#include <polynya/match.hpp>
#include <utility>

#include "asking.hpp"
#include "fields.hpp"

namespace polynya {

Match::Match(const Json& start, std::shared_ptr<Connection> connection)
    : id(fields::string(start, "match")),
      game(fields::string(start, "game")),
      seat(fields::seat(start, "seat")),
      players(read_players(start)),
      options(fields::map(start, "options")),
      clock(read_clock(start)),
      state(fields::map(start, "state")),
      is_view(fields::optional(start, "view", fields::boolean).value_or(false)),
      is_joint(fields::optional(start, "joint", fields::boolean).value_or(false)),
      acting(fields::optional(start, "acting", fields::seats)),
      resumed(fields::kind(start) == "match_resume"),
      message(start),
      asking_(std::make_shared<Asking>(std::move(connection))) {}

void Match::resign() {
  resigned_ = true;
  asking_->send({{"type", "resign"}, {"match", id}});
}

bool Match::lose() { return std::exchange(forfeited_, true) || resigned_; }

void Match::follow(const std::optional<std::vector<std::size_t>>& next) {
  if (next) acting = next;
}

}  // namespace polynya
