#include <cstdlib>
#include <iostream>
#include <memory>
#include <polynya/client.hpp>
#include <thread>

#include "backoff.hpp"
#include "interrupt.hpp"
#include "session.hpp"
#include "warn.hpp"

namespace polynya {
namespace {

// A function as a bot.
class FunctionBot : public Bot {
 public:
  explicit FunctionBot(const Choose& choose) : choose_(choose) {}
  Steps turn(Turn& turn) override { return choose_(turn); }

 private:
  const Choose& choose_;
};

// A bot with its settings, over as many connections as it takes.
class Client {
 public:
  Client(Bot& bot, Settings settings, Current& current)
      : bot_(bot), settings_(std::move(settings)), current_(current) {}

  void play() {
    std::unique_ptr<Session> session = connect();
    while (true) {
      try {
        return session->play();
      } catch (const ConnectionLost& lost) {
        if (settings_.token.empty()) throw;
        session.reset();
        session = come_back(lost);
      }
    }
  }

 private:
  // A new session; the name in force is kept, and the token of one that it registers, which the
  // author is shown too.
  std::unique_ptr<Session> connect() {
    const auto connection = std::make_shared<Connection>(settings_);
    current_.set(connection);
    auto session = std::make_unique<Session>(connection, bot_, hello(settings_));
    if (!session->name.empty()) settings_.name = session->name;
    if (!session->token.empty()) {
      settings_.token = session->token;
      warn("registered as " + printable(session->name) +
           "; to use the name again, set POLYNYA_TOKEN=" + printable(session->token));
    }
    return session;
  }

  // A new session in place of one that was lost; it takes over what is still going on. Throws what
  // was lost when the server stays away for too long.
  std::unique_ptr<Session> come_back(const ConnectionLost& lost) {
    for (const auto pause : backoff(settings_.reconnect)) {
      warn(std::string(lost.what()) + "; trying again in " + std::to_string(pause.count()) + " ms");
      std::this_thread::sleep_for(pause);
      try {
        return connect();
      } catch (const ConnectionLost&) {
        continue;
      }
    }
    throw ConnectionLost(lost);
  }

  Bot& bot_;
  Settings settings_;
  Current& current_;
};

std::string environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

void play_with(Bot& bot, const Settings& settings, Current& current) {
  Client(bot, in_force(settings, environment), current).play();
}

}  // namespace

int run(Bot& bot, const Settings& settings) {
  const auto current = std::make_shared<Current>();
  leave_when_interrupted(current);
  try {
    play_with(bot, settings, *current);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    warn(error.what());
    return EXIT_FAILURE;
  }
}

int run(const Choose& choose, const Settings& settings) {
  FunctionBot bot(choose);
  return run(bot, settings);
}

void play(Bot& bot, const Settings& settings) {
  Current current;
  play_with(bot, settings, current);
}

void play(const Choose& choose, const Settings& settings) {
  FunctionBot bot(choose);
  play(bot, settings);
}

}  // namespace polynya
