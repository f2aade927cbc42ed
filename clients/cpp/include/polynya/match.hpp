/// @file
/// A match that this bot plays.

#pragma once

#include <any>
#include <memory>
#include <optional>
#include <polynya/events.hpp>
#include <string>
#include <vector>

namespace polynya {

class Asking;
class Connection;

/// What is known of a match; a bot may keep its own things under memory.
class Match {
 public:
  /// From match_start or match_resume. Throws BadMessage.
  Match(const Json& start, std::shared_ptr<Connection> connection);

  std::string id;  ///< the server's name for it
  std::string game;  ///< "packeis", "arktia", "icecult" or another game
  std::size_t seat;  ///< ours
  std::vector<Player> players;  ///< by seat
  Json options;  ///< the game's set-up options
  Clock clock;  ///< the time limits
  Json state;  ///< the position when it began (or was taken up again), as in the game's rules;
               ///< with is_view it is no position, but what we may know of one

  bool is_view;  ///< whether parts of the match are hidden from us
  bool is_joint;  ///< whether several seats can be asked at the same time
  /// The seats that are asked now, ascending, in matches with joint turns or hidden parts. The
  /// events of the match change it.
  std::optional<std::vector<std::size_t>> acting;
  bool resumed;  ///< whether it was taken up again after a lost connection or a new start
  Json message;  ///< match_start or match_resume as it came, with keys that have no member here
  std::any memory;  ///< for whatever a bot wants to remember until the match is over

  /// Give this match up; a turn that is chosen afterwards is not sent. Throws ConnectionLost.
  void resign();

  /// Whether we have resigned.
  bool resigned() const { return resigned_; }

  /// @cond internal
  bool is_lost() const { return resigned_ || forfeited_; }
  bool lose();  ///< we have forfeited; whether that was known
  /// Take the seats that an event says are asked next, if it does.
  void follow(const std::optional<std::vector<std::size_t>>& next);
  Asking& asking() const { return *asking_; }
  std::shared_ptr<Asking> shared_asking() const { return asking_; }
  /// @endcond

 private:
  bool resigned_ = false;
  bool forfeited_ = false;
  std::shared_ptr<Asking> asking_;
};

}  // namespace polynya
