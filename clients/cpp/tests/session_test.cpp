// What the SDK does with a server's messages, seen from the other end of a real socket.

#include <gtest/gtest.h>

#include "scripted_server.hpp"

using polynya::Json;
using polynya::Match;
using polynya::Settings;
using polynya::Steps;
using polynya::Turn;

namespace {

const Json step = {"move", 12, 40};
const Settings ada = {.name = "ada"};
const Json move = {{"type", "move"}, {"match", "m1"}, {"turn", 1}, {"steps", {step}}};

Steps play_step(Turn&) { return {step}; }

Steps ask_first(Turn& turn) {
  Steps steps = {step};
  for (const Json& next : turn.legal_after(steps).steps) steps.push_back(next);
  return steps;
}

}  // namespace

TEST(Session, MoveAnswersTurnWithInfo) {
  const ScriptedServer server;
  const auto choose = [](Turn& turn) -> Steps {
    turn.info["score"] = 2.5;
    return {step};
  };
  const auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask({{"turn", 7}});

  Json expected = move;
  expected.update({{"turn", 7}, {"info", {{"score", 2.5}}}});
  EXPECT_EQ(expected, peer.receive());
  peer.say_goodbye();
}

TEST(Session, TurnSaysWhatTheServerSaid) {
  const ScriptedServer server;
  Json seen;
  const auto choose = [&](Turn& turn) -> Steps {
    seen = {turn.game(),
            turn.seat(),
            turn.number,
            turn.remaining_ms.count(),
            turn.state(),
            turn.legal(),
            turn.match.players.at(0).rating.value(),
            turn.match.players.at(1).rating.has_value()};
    return {step};
  };
  auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask({{"turn", 7}, {"state", {{"fish", {1}}}}, {"legal", {step}}});
  peer.receive();
  peer.say_goodbye();
  bot.get();

  const Json state = {{"fish", {1}}};
  EXPECT_EQ(Json({"packeis", 1, 7, 5000, state, Json::array({step}), 1510.5, false}), seen);
}

TEST(Session, LegalAfterAsksTheServerAndPingsAreAnsweredMeanwhile) {
  const ScriptedServer server;
  const auto bot = server.run(ask_first, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();

  Json question = move;
  question["type"] = "steps";
  EXPECT_EQ(question, peer.receive());
  peer.send({{"type", "ping"}, {"nonce", 5}});
  EXPECT_EQ(Json({{"type", "pong"}, {"nonce", 5}}), peer.receive());
  const Json end = Json::array({"end"});
  peer.send(
      {{"type", "legal"}, {"match", "m1"}, {"turn", 1}, {"legal", {end}}, {"turn_over", false}});
  EXPECT_EQ(Json::array({step, end}), peer.receive()["steps"]);
  peer.say_goodbye();
}

TEST(Session, ErrorAboutAnEarlierTurnIsNoAnswer) {
  const ScriptedServer server;
  const auto bot = server.run(ask_first, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask({{"turn", 3}});
  peer.receive();
  peer.send({{"type", "error"},
             {"code", "late"},
             {"message", "too late"},
             {"fatal", false},
             {"match", "m1"},
             {"turn", 1}});
  peer.send({{"type", "legal"},
             {"match", "m1"},
             {"turn", 3},
             {"legal", Json::array()},
             {"turn_over", true}});

  EXPECT_EQ(3, peer.receive()["turn"]);
  peer.say_goodbye();
}

TEST(Session, TurnThatIsLostGetsNoMoveAndTheBotGoesOn) {
  const ScriptedServer server;
  auto bot = server.run(ask_first, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();
  EXPECT_EQ("steps", peer.receive()["type"]);
  peer.send({{"type", "error"},
             {"code", "late"},
             {"message", "too late"},
             {"fatal", false},
             {"match", "m1"},
             {"turn", 1}});
  peer.send({{"type", "ping"}, {"nonce", 1}});

  EXPECT_EQ(Json({{"type", "pong"}, {"nonce", 1}}), peer.receive());
  peer.say_goodbye();
  EXPECT_NO_THROW(bot.get());
}

namespace {

// A bot that writes down what happens, and asks what may follow before each move.
class Follower : public polynya::Bot {
 public:
  std::vector<std::string> seen;

  void match_start(Match& match) override { seen.push_back("start " + match.id); }

  Steps turn(Turn& turn) override {
    seen.push_back("turn " + std::to_string(turn.number));
    return ask_first(turn);
  }

  void moved(Match&, const polynya::Moved& moved) override {
    seen.push_back("moved " + std::to_string(moved.remaining_ms.at(0).value()));
  }

  void forfeited(Match&, const polynya::Forfeited& forfeited) override {
    seen.push_back("forfeited " + forfeited.reason);
  }

  void match_over(Match& match, const polynya::MatchOver& over) override {
    seen.push_back("over " + match.id + " " + std::to_string(over.ranking.value().at(1)));
  }
};

}  // namespace

TEST(Session, EventsDuringLegalAfterAreHandledInOrderAfterwards) {
  const ScriptedServer server;
  Follower follower;
  auto bot = server.run(follower, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();
  peer.receive();
  peer.send({{"type", "moved"},
             {"match", "m1"},
             {"seq", 2},
             {"turn", 1},
             {"seat", 0},
             {"steps", Json::array()},
             {"elapsed_ms", 3},
             {"remaining_ms", {5, nullptr}}});
  peer.send({{"type", "forfeited"},
             {"match", "m1"},
             {"seq", 3},
             {"seat", 0},
             {"reason", "resigned"},
             {"detail", "bob resigned"}});
  peer.send({{"type", "match_over"},
             {"match", "m1"},
             {"seq", 4},
             {"ranking", {2, 1}},
             {"scores", {0, 1}},
             {"reason", "forfeit"},
             {"replay", "m1"}});
  peer.say_goodbye();
  bot.get();

  const std::vector<std::string> expected = {"start m1", "turn 1", "moved 5", "forfeited resigned",
                                             "over m1 1"};
  EXPECT_EQ(expected, follower.seen);
}

TEST(Session, MatchesOnOneConnectionAreKeptApart) {
  const ScriptedServer server;
  const auto choose = [](Turn& turn) -> Steps { return {{turn.match.id, turn.number}}; };
  const auto bot = server.run(choose, {.name = "ada", .concurrency = 2});
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.begin({{"match", "m2"}});
  EXPECT_EQ(Json({{"type", "ready"}, {"match", "m2"}}), peer.receive());
  peer.ask({{"match", "m2"}, {"turn", 2}});
  peer.ask();

  EXPECT_EQ(Json::parse(R"([["m2", 2]])"), peer.receive()["steps"]);
  EXPECT_EQ(Json::parse(R"([["m1", 1]])"), peer.receive()["steps"]);
  peer.say_goodbye();
}

TEST(Session, UnknownTypesKeysAndMatchesAreIgnored) {
  const ScriptedServer server;
  const auto bot = server.run(play_step, ada);
  Peer peer = server.accept();
  peer.welcome({{"novelty", 1}});
  peer.send({{"type", "weather"}, {"ice", "thin"}});
  peer.ask({{"match", "other"}, {"seq", 9}});
  peer.begin_match();
  peer.ask({{"hurry", true}});

  EXPECT_EQ(move, peer.receive());
  peer.say_goodbye();
}

TEST(Session, ResigningSendsNoMove) {
  const ScriptedServer server;
  const auto choose = [](Turn& turn) -> Steps {
    turn.resign();
    return {};
  };
  const auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();
  peer.send({{"type", "ping"}, {"nonce", "abc"}});

  EXPECT_EQ(Json({{"type", "resign"}, {"match", "m1"}}), peer.receive());
  EXPECT_EQ(Json({{"type", "pong"}, {"nonce", "abc"}}), peer.receive());
  peer.say_goodbye();
}

TEST(Session, ExceptionInTheBotSaysGoodbyeAndLeavesPlay) {
  const ScriptedServer server;
  const auto choose = [](Turn&) -> Steps { throw std::domain_error("a bug of the author's"); };
  auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();

  EXPECT_EQ(Json({{"type", "goodbye"}, {"reason", "the bot ended by std::domain_error"}}),
            peer.receive());
  EXPECT_TRUE(peer.ended());
  EXPECT_THROW(bot.get(), std::domain_error);
}

TEST(Session, StateThatWasNotAskedForIsExplained) {
  const ScriptedServer server;
  auto bot = server.run([](Turn& turn) -> Steps { return {turn.state()}; }, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();

  EXPECT_THROW(bot.get(), polynya::NotWanted);
}

namespace {

// A bot that writes down what each event of a joint match tells, and which seats are asked then.
class Observer : public polynya::Bot {
 public:
  Json seen = Json::array();

  void match_start(Match& match) override {
    seen.push_back({"start", match.is_view, match.is_joint, acting(match.acting), match.state});
  }

  Steps turn(Turn& turn) override { return play_step(turn); }

  void moved(Match& match, const polynya::Moved& moved) override {
    seen.push_back({"moved", moved.seat, moved.concealed, moved.steps, acting(moved.acting),
                    moved.seen, acting(match.acting)});
  }

  void forfeited(Match& match, const polynya::Forfeited& forfeited) override {
    seen.push_back({"forfeited", forfeited.turn.value(), acting(forfeited.acting), forfeited.seen,
                    acting(match.acting)});
  }

  void match_over(Match&, const polynya::MatchOver& over) override {
    seen.push_back({"over", over.deal.value()});
  }

 private:
  static Json acting(const std::optional<std::vector<std::size_t>>& seats) {
    return seats ? Json(*seats) : Json();
  }
};

}  // namespace

TEST(Session, JointTurnTellsWhatTheSeatMayKnow) {
  const ScriptedServer server;
  Observer observer;
  auto bot = server.run(observer, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin(Json::parse(
      R"({"state": {"hand": 5}, "acting": [0, 1, 2], "joint": true, "view": true})"));
  EXPECT_EQ("ready", peer.receive()["type"]);
  peer.ask();
  EXPECT_EQ(move, peer.receive());
  peer.send(Json::parse(R"({"type": "moved", "match": "m1", "seq": 2, "turn": 1, "seat": 0,
      "steps": null, "elapsed_ms": 3, "remaining_ms": [null, null, null]})"));
  peer.send(Json::parse(R"({"type": "moved", "match": "m1", "seq": 3, "turn": 1, "seat": 1,
      "steps": [["move", 12, 40]], "elapsed_ms": 3, "remaining_ms": [null, null, null],
      "acting": [0, 1], "seen": [{"lost": 7}]})"));
  peer.ask({{"seq", 4}, {"turn", 2}});
  EXPECT_EQ(2, peer.receive()["turn"]);
  peer.send(Json::parse(R"({"type": "forfeited", "match": "m1", "seq": 5, "turn": 2, "seat": 0,
      "reason": "resigned", "detail": "bob resigned", "acting": [], "seen": [{"won": true}]})"));
  peer.send(Json::parse(
      R"({"type": "match_over", "match": "m1", "seq": 6, "reason": "forfeit", "deal": "0a1b"})"));
  peer.say_goodbye();
  bot.get();

  const Json expected = Json::parse(R"([
      ["start", true, true, [0, 1, 2], {"hand": 5}],
      ["moved", 0, true, [], null, [], [0, 1, 2]],
      ["moved", 1, false, [["move", 12, 40]], [0, 1], [{"lost": 7}], [0, 1]],
      ["forfeited", 2, [], [{"won": true}], []],
      ["over", "0a1b"]])");
  EXPECT_EQ(expected, observer.seen);
}
