/// @file
/// Connect a bot to a Polynya server: write one function, choose(turn), and call run.

#pragma once

#include <polynya/bot.hpp>
#include <polynya/cancellation.hpp>
#include <polynya/errors.hpp>
#include <polynya/events.hpp>
#include <polynya/match.hpp>
#include <polynya/settings.hpp>
#include <polynya/turn.hpp>

namespace polynya {

/// Play on a server until the contest is over, and come back to it until then: what a program's main
/// calls.
///
/// The bot runs in the calling thread, a turn after the other, while another thread receives: it answers
/// pings, and ends searches that are not wanted any more. What goes wrong is printed on standard error.
/// Ctrl-C and SIGTERM say goodbye, which forfeits the matches at once.
///
/// @return the exit code: 0, also when interrupted; 1 after an error; 75 if the bot gave up trying to
///   reach the server; 76 if another process plays as it now
int run(Bot& bot, const Settings& settings);
/// As run, for a bot that is a function.
int run(const Choose& choose, const Settings& settings);

/// As run, with a bot of its own for each match, in a thread of its own: for Settings::concurrency, and
/// for searches that cannot be cancelled. make is called in the match's thread.
int run_each(const MakeBot& make, const Settings& settings);

/// Play on a server until the contest is over, for programs that have signals and errors in their own
/// hands.
///
/// Throws BadSettings if the settings and the environment do not say where to connect, GaveUp if the
/// server was not there for all the time, Replaced if another process plays as this bot, ServerError if
/// it was refused, and what the bot throws.
void play(Bot& bot, const Settings& settings);
/// As play, for a bot that is a function.
void play(const Choose& choose, const Settings& settings);

/// As play, with a bot of its own for each match, as from run_each.
void play_each(const MakeBot& make, const Settings& settings);

}  // namespace polynya
