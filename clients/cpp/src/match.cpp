#include <polynya/errors.hpp>
#include <polynya/match.hpp>

#include "connection.hpp"
#include "fields.hpp"

namespace polynya {

Match::Match(const Json& message, std::shared_ptr<Connection> connection)
    : id(fields::string(message, "match")),
      game(fields::string(message, "game")),
      seat(fields::seat(message, "seat")),
      players(read_players(message)),
      options(fields::map(message, "options")),
      clock(read_clock(message)),
      state(fields::map(message, "state")),
      resumed(fields::kind(message) == "match_resume"),
      next_seq_(fields::count(message, "seq") + 1),
      connection_(std::move(connection)) {}

void Match::resign() {
  resigned_ = true;
  connection_->send({{"type", "resign"}, {"match", id}});
}

void Match::follow(const Json& message) {
  const std::uint64_t seq = fields::count(message, "seq");
  if (seq != next_seq_) {
    throw ConnectionLost("match " + printable(id) + ": event " + std::to_string(next_seq_) +
                         " is missing, " + std::to_string(seq) + " came instead");
  }
  ++next_seq_;
}

}  // namespace polynya
