// How the SDK connects, comes back and leaves, on real sockets.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scripted_server.hpp"

using polynya::Json;
using polynya::Settings;
using polynya::Steps;
using polynya::Turn;

namespace {

const Settings ada = {.name = "ada", .token = "secret"};

Steps play_step(Turn&) { return {{"move", 12, 40}}; }

}  // namespace

TEST(Connection, LostOneIsTakenUpAgain) {
  const ScriptedServer server;
  Json seen = Json::array();
  const auto choose = [&](Turn& turn) -> Steps {
    seen.push_back({turn.match.resumed, turn.number});
    return {{"end"}};
  };
  auto bot = server.run(choose, ada);
  Peer first = server.accept();
  first.welcome();
  first.begin_match();
  first.hang_up();

  Peer peer = server.accept();
  const Json hello = peer.welcome({{"matches", {"m1"}}});
  peer.begin({{"type", "match_resume"}, {"seq", 4}, {"clock", {{"move_ms", 100}}}});
  peer.ask({{"seq", 5}, {"turn", 3}});
  EXPECT_EQ(3, peer.receive()["turn"]);
  peer.say_goodbye();
  bot.get();

  EXPECT_EQ("secret", hello["token"]);
  EXPECT_EQ(Json::parse("[[true, 3]]"), seen);
}

TEST(Connection, NameInForceAndTokenOfARegistrationBringTheBotBack) {
  const ScriptedServer server;
  const auto bot = server.run(play_step, {.name = "ada"});
  Peer first = server.accept();
  EXPECT_FALSE(first.welcome({{"token", "new"}, {"bot", "ada2"}}).contains("token"));
  first.hang_up();
  Peer peer = server.accept();
  const Json hello = peer.welcome();
  peer.say_goodbye();

  EXPECT_EQ("new", hello["token"]);
  EXPECT_EQ("ada2", hello["name"]);
}

TEST(Connection, MissingEventMakesTheBotConnectAgain) {
  const ScriptedServer server;
  const auto bot = server.run(play_step, ada);
  Peer first = server.accept();
  first.welcome();
  first.begin_match();
  first.ask({{"seq", 2}});
  EXPECT_TRUE(first.ended());

  Peer peer = server.accept();
  EXPECT_EQ("hello", peer.welcome()["type"]);
  peer.say_goodbye();
}

TEST(Connection, BotWhoseWelcomeWasLostHasTheSameRegistration) {
  const ScriptedServer server;
  const auto bot = server.run(play_step, {.name = "ada"});
  Peer lost = server.accept();
  const Json first = lost.receive();
  lost.hang_up();
  Peer peer = server.accept();
  const Json second = peer.welcome();
  peer.say_goodbye();

  EXPECT_EQ(32, first.at("registration").get<std::string>().size());
  EXPECT_EQ(first.at("registration"), second.at("registration"));
}

TEST(Connection, ReplacedBotDoesNotComeBack) {
  const ScriptedServer server;
  auto bot = server.run(play_step, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.send({{"type", "goodbye"}, {"reason", "replaced"}});

  EXPECT_THROW(bot.get(), polynya::Replaced);
  EXPECT_TRUE(peer.ended());
}

TEST(Connection, FatalErrorLeavesPlayWithItsCode) {
  const ScriptedServer server;
  auto bot = server.run(play_step, ada);
  Peer peer = server.accept();
  peer.receive();
  peer.send(
      {{"type", "error"}, {"code", "name_taken"}, {"message", "choose another"}, {"fatal", true}});

  try {
    bot.get();
    FAIL() << "the bot plays on";
  } catch (const polynya::ServerError& error) {
    EXPECT_EQ("name_taken", error.code);
    EXPECT_STREQ("name_taken: choose another", error.what());
  }
}

TEST(Connection, WhoeverAnswersWithoutFramesIsNoPolynyaServer) {
  const ScriptedServer server;
  auto bot = server.run(play_step, ada);
  Peer peer = server.accept();
  peer.receive();
  peer.send_bytes("HTTP/1.1 400 Bad Request");

  try {
    bot.get();
    FAIL();
  } catch (const polynya::BadFrame& error) {
    EXPECT_EQ(0U, std::string(error.what()).find("what answers there is no Polynya server"));
  }
}

TEST(Connection, LengthThatNoServerSendsEndsIt) {
  const ScriptedServer server;
  auto bot = server.run(play_step, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.send_bytes("\xff\xff\xff\xff");

  EXPECT_EQ("goodbye", peer.receive()["type"]);
  EXPECT_TRUE(peer.ended());
  EXPECT_THROW(bot.get(), polynya::BadFrame);
}

TEST(Connection, MessageOverTheServersLimitIsNotSent) {
  const ScriptedServer server;
  auto bot = server.run([](Turn&) -> Steps { return {{std::string(1000, 'x')}}; }, ada);
  Peer peer = server.accept();
  peer.welcome({{"max_frame", 500}});
  peer.begin_match();
  peer.ask();

  EXPECT_EQ("goodbye", peer.receive()["type"]);
  EXPECT_THROW(bot.get(), polynya::BadFrame);
}

TEST(Connection, LogHoldsAllMessagesButNotTheToken) {
  const std::string file = testing::TempDir() + "polynya-frames.jsonl";
  std::filesystem::remove(file);
  const ScriptedServer server;
  Settings settings = ada;
  settings.log = file;
  auto bot = server.run(play_step, settings);
  Peer peer = server.accept();
  peer.welcome();
  peer.say_goodbye();
  bot.get();

  std::ifstream stream(file);
  Json told = Json::array();
  for (std::string line; std::getline(stream, line);) {
    EXPECT_EQ(std::string::npos, line.find("secret"));
    const Json entry = Json::parse(line);
    EXPECT_TRUE(entry["time"].is_number());
    told.push_back({entry["bot"], entry["direction"], entry["message"]["type"]});
  }
  EXPECT_EQ(Json::parse(R"([["ada", "sent", "hello"], ["ada", "received", "welcome"],
                            ["ada", "received", "goodbye"]])"),
            told);
}

TEST(Connection, NobodyListeningIsASentence) {
  try {
    polynya::play(play_step, {.name = "ada", .port = 1, .reconnect = {}});
    FAIL() << "somebody listens";
  } catch (const polynya::ConnectionLost& error) {
    EXPECT_STREQ("cannot connect to 127.0.0.1:1: Connection refused; gave up", error.what());
  }
}
