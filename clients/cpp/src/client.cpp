#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <polynya/client.hpp>
#include <thread>

#include "addresses.hpp"
#include "interrupt.hpp"
#include "retries.hpp"
#include "session.hpp"
#include "tokens.hpp"
#include "warn.hpp"

namespace polynya {
namespace {

bool is_terminal(std::FILE* file) {
#ifdef _WIN32
  return _isatty(_fileno(file)) != 0;
#else
  return isatty(fileno(file)) != 0;
#endif
}

constexpr int exit_gave_up = 75;
constexpr int exit_replaced = 76;

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// The server's code for what says nothing against the bot: later it is welcome.
bool comes_back_after(const ServerError& refused) {
  return refused.code == "server_full" || refused.code == "shutting_down";
}

// Returns if the contest is over; the author is told. Throws Replaced, or ServerLeft after which a
// bot comes back.
void take_goodbye(const std::string& reason) {
  if (reason == "replaced") {
    throw Replaced(
        "the server says goodbye (replaced): this bot has connected a second time, and the other one "
        "plays on; this one stays away");
  }
  if (reason != "finished") {
    throw ServerLeft("the server says goodbye (" + printable(reason) + ")");
  }
  warn("the server says goodbye (finished): this contest is over");
}

// Say at a terminal that the bot is connected: nothing else is seen until a match.
void tell_connected(const std::string& name) {
  if (!is_terminal(stderr)) return;
  std::cerr << "connected as " << printable(name) << "; waiting for a match" << std::endl;
}

// What is done with a session: the reason of the server's goodbye.
using Playing = std::function<std::string(Session&)>;

// A bot with its settings, over as many connections as it takes.
class Client {
 public:
  Client(Playing playing, Settings settings, Current& current)
      : playing_(std::move(playing)),
        settings_(std::move(settings)),
        current_(current),
        retries_(settings_.reconnect),
        servers_(read_addresses(settings_.host, settings_.port)),
        token_file_(token_path(servers_.next(), settings_.name, environment)) {
    const bool is_named = !environment("POLYNYA_TOKEN_FILE").empty();
    const bool is_given = !environment("POLYNYA_TOKEN").empty();
    if (is_given || (!settings_.token.empty() && !is_named)) return;
    if (std::string kept = read_token(token_file_); !kept.empty()) {
      settings_.token = std::move(kept);
      token_is_kept_ = !is_named;
    }
  }

  void play() {
    while (!current_.is_interrupted()) {
      try {
        return take_goodbye(playing_(*connect()));
      } catch (const ServerError& refused) {
        if (is_mended(refused)) continue;
        if (!comes_back_after(refused)) throw;
        pause(refused, true);
      } catch (const ServerLeft& left) {
        pause(left, true);
      } catch (const ConnectionLost& lost) {
        pause(lost, false);
      }
    }
  }

 private:
  // A new session; the name in force is kept, and the token of one that it registers.
  std::unique_ptr<Session> connect() {
    const auto connection = connection_to_any();
    current_.set(connection);
    Json introduction = hello(settings_);
    if (settings_.token.empty()) introduction["registration"] = registration_;
    auto session = std::make_unique<Session>(connection, introduction);
    retries_.welcome();
    servers_.welcome();
    if (!session->name.empty()) settings_.name = session->name;
    tell_connected(settings_.name);
    if (!session->token.empty()) remember(session->token);
    return session;
  }

  // A connection to the first server that answers. Throws ConnectionLost if none does.
  std::shared_ptr<Connection> connection_to_any() {
    std::string failures;
    for (std::size_t attempt = 0; attempt < servers_.count(); ++attempt) {
      try {
        return std::make_shared<Connection>(servers_.next(), servers_.patience(), settings_);
      } catch (const ConnectionLost& lost) {
        failures += (failures.empty() ? "" : "; ") + std::string(lost.what());
        servers_.move_on();
      }
    }
    throw ConnectionLost(failures);
  }

  void remember(const std::string& token) {
    settings_.token = token;
    token_is_kept_ = false;
    const std::string registered = "registered as " + printable(settings_.name);
    if (keep_token(token_file_, token)) {
      warn(registered + "; the token is kept in " + token_file_.string());
    } else {
      warn(registered + "; " + token_file_.string() +
           " cannot be written, so keep the token yourself: POLYNYA_TOKEN=" + printable(token));
    }
  }

  // Whether it may help to introduce ourselves anew: the kept token is of another server.
  bool is_mended(const ServerError& refused) {
    if (refused.code != "unauthorized" || !token_is_kept_) return false;
    warn("the token in " + token_file_.string() + " is not good here");
    settings_.token.clear();
    token_is_kept_ = false;
    return true;
  }

  // Wait before the next attempt, unless the bot is interrupted. Throws GaveUp if the time for attempts is
  // over.
  void pause(const ClientError& trouble, bool is_word) {
    if (current_.is_interrupted()) return;
    servers_.after(is_word);
    const auto pause = retries_.after(is_word);
    if (!pause) throw GaveUp(std::string(trouble.what()) + "; gave up");
    warn(std::string(trouble.what()) + "; trying again in " + std::to_string(pause->count()) +
         " ms");
    current_.wait(*pause);
  }

  Playing playing_;
  Settings settings_;
  Current& current_;
  Retries retries_;
  Servers servers_;
  std::filesystem::path token_file_;
  bool token_is_kept_ = false;  // whether the token is of an earlier start
  const std::string registration_ = new_registration();
};

void play_with(const Playing& playing, const Settings& settings, Current& current) {
  Client(playing, in_force(settings, environment), current).play();
}

int run_with(const Playing& playing, const Settings& settings) {
  const auto current = std::make_shared<Current>();
  leave_when_interrupted(current);
  try {
    play_with(playing, settings, *current);
    return EXIT_SUCCESS;
  } catch (const GaveUp& error) {
    warn(error.what());
    return exit_gave_up;
  } catch (const Replaced& error) {
    warn(error.what());
    return exit_replaced;
  } catch (const std::exception& error) {
    warn(error.what());
    return EXIT_FAILURE;
  }
}

Playing with(Bot& bot) {
  return [&bot](Session& session) { return session.play(bot); };
}

Playing each_with(const MakeBot& make) {
  return [&make](Session& session) { return session.play_each(make); };
}

}  // namespace

int run(Bot& bot, const Settings& settings) { return run_with(with(bot), settings); }

int run(const Choose& choose, const Settings& settings) {
  return run(*make_bot(choose), settings);
}

int run_each(const MakeBot& make, const Settings& settings) {
  return run_with(each_with(make), settings);
}

void play(Bot& bot, const Settings& settings) {
  Current current;
  play_with(with(bot), settings, current);
}

void play(const Choose& choose, const Settings& settings) { play(*make_bot(choose), settings); }

void play_each(const MakeBot& make, const Settings& settings) {
  Current current;
  play_with(each_with(make), settings, current);
}

}  // namespace polynya
