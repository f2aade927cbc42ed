/// @file
/// What a bot is: a function that chooses steps, or a class with hooks.

#pragma once

#include <functional>
#include <memory>
#include <polynya/cancellation.hpp>
#include <polynya/events.hpp>
#include <polynya/match.hpp>
#include <polynya/turn.hpp>
#include <string>

namespace polynya {

/// A bot as a function: the whole turn, as a list of steps.
using Choose = std::function<Steps(Turn&)>;

/// A bot that follows its matches: write turn and whichever hooks are of use.
///
/// An exception in a hook ends the bot: it says goodbye, which forfeits its matches, and the
/// exception leaves play.
class Bot {
 public:
  Bot() = default;
  Bot(const Bot&) = delete;
  Bot& operator=(const Bot&) = delete;
  virtual ~Bot() = default;

  /// The whole turn, as a list of steps.
  virtual Steps turn(Turn& turn) = 0;

  /// A match begins (or is taken up again, see Match::resumed); clocks wait for us.
  virtual void match_start(Match& match);

  /// Think while the others do: called when this bot has nothing else to do in its match.
  ///
  /// It runs in the bot's thread. until tells when to return: something has happened, perhaps it is our
  /// turn, and its clock runs. After each event in which that is so it is called again.
  virtual void ponder(Match& match, const Cancellation& until);

  /// Another player has moved; in matches with joint turns or hidden parts, and with "moved" wanted, also
  /// we ourselves.
  virtual void moved(Match& match, const Moved& moved);

  /// A player has forfeited, perhaps we ourselves.
  virtual void forfeited(Match& match, const Forfeited& forfeited);

  /// The match has ended.
  virtual void match_over(Match& match, const MatchOver& over);

  /// A server has welcomed the bot, by this name ("" if it gives none): each time that it comes.
  ///
  /// It runs before all other hooks of this session. run_each does not call it.
  virtual void connected(const std::string& name);

  /// The session has ended, unless by an exception of the bot's own; the bot comes back unless the contest
  /// is over.
  ///
  /// reason is that of the server's goodbye, such as "finished", or a sentence about the lost connection.
  /// run_each does not call it.
  virtual void disconnected(const std::string& reason);
};

/// Makes a bot for a match.
using MakeBot = std::function<std::unique_ptr<Bot>()>;

/// A function as a bot, for run_each.
std::unique_ptr<Bot> make_bot(Choose choose);

}  // namespace polynya
