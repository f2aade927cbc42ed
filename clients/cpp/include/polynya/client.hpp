// Connect a bot to a Polynya server: write one function, choose(turn), and call run.

#pragma once

#include <polynya/bot.hpp>
#include <polynya/errors.hpp>
#include <polynya/events.hpp>
#include <polynya/match.hpp>
#include <polynya/settings.hpp>
#include <polynya/turn.hpp>

namespace polynya {

// Play on a server until it says goodbye: what a program's main calls. The exit code.
//
// The bot runs in the calling thread, and pings wait while it thinks; another thread lets the
// server know that it is still there. What goes wrong is printed on standard error and gives 1.
// Ctrl-C says goodbye, which forfeits the matches at once, and gives 130.
int run(Bot& bot, const Settings& settings);
int run(const Choose& choose, const Settings& settings);

// Play on a server until it says goodbye, for programs that have signals and errors in their own
// hands.
//
// Throws BadSettings if the settings and the environment do not say where to connect,
// ConnectionLost if the server is not there (any more), ServerError if it refused this bot, and
// what the bot throws.
void play(Bot& bot, const Settings& settings);
void play(const Choose& choose, const Settings& settings);

}  // namespace polynya
