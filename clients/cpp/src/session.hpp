// A session: what the bot does with each message of one connection.

#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <polynya/bot.hpp>
#include <string>

#include "connection.hpp"
#include "inbox.hpp"

namespace polynya {

// A bot on a connection, from hello to goodbye.
class Session {
 public:
  // Say hello and wait for the welcome. Throws ServerError if the server does not take this bot,
  // and what play throws.
  Session(std::shared_ptr<Connection> connection, Bot& bot, const Json& hello);

  std::string name;   // what the server knows us by
  std::string token;  // set if this session registered the name

  // Play whatever the server asks for until it says goodbye; its reason. Matches that are going on when the bot
  // itself fails are forfeited by our goodbye.
  //
  // Throws ConnectionLost, ServerError, BadFrame and BadMessage if the server does not speak this
  // protocol, and what the bot throws.
  std::string play();

 private:
  void handle(Arrived arrived);
  void begin(const Json& message);
  void take_turn(Match& match, Arrived arrived);
  void tell(Match& match, const Json& message);
  void forfeit(Match& match, const Forfeited& forfeited);

  std::shared_ptr<Connection> connection_;
  Bot& bot_;
  Inbox inbox_;
  std::chrono::milliseconds heartbeat_{};
  std::map<std::string, Match> matches_;
  bool told_ = false;  // whether the author knows that remarks were left out
};

}  // namespace polynya
