// The bot's thread is not the connection's: what is received while the bot thinks, and what ends that.

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

#include "scripted_server.hpp"

using polynya::Cancellation;
using polynya::Json;
using polynya::Match;
using polynya::Settings;
using polynya::Steps;
using polynya::Turn;

namespace {

constexpr std::chrono::seconds time_limit{60};
constexpr int hour_ms = 3'600'000;
const Json step = {"move", 12, 40};
const Settings ada = {.name = "ada", .token = "secret"};

// Wait as a search does that looks at its cancellation.
void think(const Cancellation& until) {
  while (!until.is_cancelled()) std::this_thread::yield();
}

// Opens once, for all.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time_limit, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

Json over(const std::string& match, int seq) {
  return {{"type", "match_over"}, {"match", match}, {"seq", seq}, {"reason", "forfeit"}};
}

Json ready(const std::string& match) { return {{"type", "ready"}, {"match", match}}; }

}  // namespace

TEST(Threads, PingsAreAnsweredWhileTheBotThinks) {
  const ScriptedServer server;
  Gate enough;
  const auto choose = [&](Turn&) -> Steps {
    enough.wait();
    return {step};
  };
  const auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();
  peer.send({{"type", "ping"}, {"nonce", 7}});

  EXPECT_EQ(Json({{"type", "pong"}, {"nonce", 7}}), peer.receive());
  enough.open();
  EXPECT_EQ("move", peer.receive()["type"]);
  peer.say_goodbye();
}

TEST(Threads, EndOfTheMatchEndsTheSearchAndTheNextMatchIsNotMissed) {
  const ScriptedServer server;
  const auto choose = [](Turn& turn) -> Steps {
    if (turn.match.id == "m1") think(turn.cancellation());
    return {step};
  };
  const auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask({{"remaining_ms", hour_ms}});
  peer.send(over("m1", 2));
  peer.begin({{"match", "m2"}});

  EXPECT_EQ(ready("m2"), peer.receive());
  peer.ask({{"match", "m2"}, {"turn", 5}});
  EXPECT_EQ(5, peer.receive()["turn"]);
  peer.say_goodbye();
}

TEST(Threads, EndOfTheTimeEndsTheSearch) {
  const ScriptedServer server;
  std::chrono::nanoseconds left{1};
  const auto choose = [&](Turn& turn) -> Steps {
    think(turn.cancellation());
    left = turn.time_left();
    return {step};
  };
  auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask({{"remaining_ms", 20}});

  EXPECT_EQ("move", peer.receive()["type"]);  // the server may still take it: it knows the lag
  peer.say_goodbye();
  bot.get();
  EXPECT_EQ(0, left.count());
}

TEST(Threads, LostConnectionEndsTheSearch) {
  const ScriptedServer server;
  const auto choose = [](Turn& turn) -> Steps {
    think(turn.cancellation());
    return {step};
  };
  const auto bot = server.run(choose, ada);
  Peer lost = server.accept();
  lost.welcome();
  lost.begin_match();
  lost.ask({{"remaining_ms", hour_ms}});
  lost.hang_up();

  Peer peer = server.accept();
  EXPECT_EQ("hello", peer.welcome()["type"]);
  peer.say_goodbye();
}

TEST(Threads, QuestionCanBeAskedInAnotherThread) {
  const ScriptedServer server;
  const auto choose = [](Turn& turn) {
    return std::async(std::launch::async, [&] { return turn.legal_after({step}); }).get().steps;
  };
  const auto bot = server.run(choose, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();
  EXPECT_EQ("steps", peer.receive()["type"]);
  const Json end = Json::array({Json::array({"end"})});
  peer.send({{"type", "legal"}, {"match", "m1"}, {"turn", 1}, {"legal", end}, {"turn_over", true}});

  EXPECT_EQ(end, peer.receive()["steps"]);
  peer.say_goodbye();
}

TEST(Threads, MessagesKeepWhatThisVersionDoesNotKnow) {
  struct Curious : polynya::Bot {
    std::vector<Json> seen;

    Steps turn(Turn& turn) override {
      seen.push_back(turn.match.message.at("wind"));
      seen.push_back(turn.message.at("ice"));
      return {step};
    }
    void match_over(Match&, const polynya::MatchOver& result) override {
      seen.push_back(result.message.at("sun"));
    }
  } curious;
  const ScriptedServer server;
  auto bot = server.run(curious, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin({{"wind", 1}});
  peer.receive();
  peer.ask({{"ice", 2}});
  peer.receive();
  Json ended = over("m1", 2);
  ended["sun"] = 3;
  peer.send(ended);
  peer.say_goodbye();
  bot.get();

  EXPECT_EQ((std::vector<Json>{1, 2, 3}), curious.seen);
}

namespace {

// A bot that thinks on the opponents' time, and tells what it has done.
class Ponderer : public polynya::Bot {
 public:
  Steps turn(Turn&) override {
    tell("turn");
    return {step};
  }

  void ponder(Match&, const Cancellation& until) override {
    tell("pondering");
    think(until);
    tell("cancelled");
  }

  std::string next() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time_limit, [this] { return !told_.empty(); });
    if (told_.empty()) return "nothing";
    std::string first = told_.front();
    told_.pop();
    return first;
  }

  bool is_silent() { return told_.empty(); }

 private:
  void tell(const std::string& what) {
    const std::lock_guard lock(mutex_);
    told_.push(what);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::string> told_;
};

}  // namespace

TEST(Threads, BotThinksOnTheOpponentsTimeUntilSomethingHappens) {
  const ScriptedServer server;
  Ponderer bot;
  auto run = server.run(bot, ada);
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  EXPECT_EQ("pondering", bot.next());
  peer.ask();
  EXPECT_EQ("cancelled", bot.next());
  EXPECT_EQ("turn", bot.next());
  EXPECT_EQ("pondering", bot.next());
  EXPECT_EQ("move", peer.receive()["type"]);
  peer.send(over("m1", 2));
  EXPECT_EQ("cancelled", bot.next());
  peer.say_goodbye();
  run.get();

  EXPECT_TRUE(bot.is_silent());  // no match, nothing to think about
}

namespace {

// A bot that tells of its sessions.
struct Connected : polynya::Bot {
  std::vector<std::string> told;

  Steps turn(Turn&) override { return {step}; }
  void connected(const std::string& name) override { told.push_back("connected " + name); }
  void match_start(Match& match) override { told.push_back("match " + match.id); }
  void disconnected(const std::string& reason) override {
    told.push_back("disconnected " + reason);
  }
};

}  // namespace

TEST(Threads, HooksTellOfConnections) {
  const ScriptedServer server;
  Connected bot;
  auto run = server.run(bot, ada);
  Peer lost = server.accept();
  lost.welcome();
  lost.begin_match();
  lost.hang_up();
  Peer peer = server.accept();
  peer.welcome();
  peer.say_goodbye();
  run.get();

  ASSERT_EQ(5, bot.told.size());
  EXPECT_EQ("connected ada", bot.told[0]);
  EXPECT_EQ("match m1", bot.told[1]);
  EXPECT_EQ("disconnected ", bot.told[2].substr(0, 13));
  EXPECT_EQ("connected ada", bot.told[3]);
  EXPECT_EQ("disconnected finished", bot.told[4]);
}

TEST(Threads, ExceptionOfTheHookConnectedSaysGoodbye) {
  struct Picky : Connected {
    void connected(const std::string&) override { throw polynya::BadTurn("not this server"); }
  } bot;
  const ScriptedServer server;
  auto run = server.run(bot, ada);
  Peer peer = server.accept();
  peer.welcome();

  EXPECT_EQ("goodbye", peer.receive()["type"]);
  EXPECT_THROW(run.get(), polynya::BadTurn);
  EXPECT_EQ(0, bot.told.size());
}

namespace {

std::future<void> run_each(const ScriptedServer& server, const polynya::Choose& choose) {
  Settings settings = ada;
  settings.port = server.port();
  settings.concurrency = 2;
  return std::async(std::launch::async, [settings, choose] {
    polynya::play_each([&] { return polynya::make_bot(choose); }, settings);
  });
}

}  // namespace

TEST(Threads, MatchesArePlayedAtTheSameTimeEachByABotOfItsOwn) {
  const ScriptedServer server;
  std::atomic<int> thinking = 0;
  Gate both;
  const auto bot = run_each(server, [&](Turn&) -> Steps {
    if (++thinking == 2) both.open();
    if (!both.wait()) return {};
    return {step};
  });
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.begin({{"match", "m2"}});
  EXPECT_EQ(ready("m2"), peer.receive());
  peer.ask();
  peer.ask({{"match", "m2"}});

  EXPECT_EQ("move", peer.receive()["type"]);
  EXPECT_EQ("move", peer.receive()["type"]);
  peer.say_goodbye();
}

TEST(Threads, SearchThatCannotBeCancelledDoesNotHoldUpTheNextMatchWithBotsOfTheirOwn) {
  const ScriptedServer server;
  Gate stop;
  const auto bot = run_each(server, [&](Turn& turn) -> Steps {
    if (turn.match.id == "m1") stop.wait();
    return {step};
  });
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.ask();
  peer.send(over("m1", 2));
  peer.begin({{"match", "m2"}});

  EXPECT_EQ(ready("m2"), peer.receive());
  peer.ask({{"match", "m2"}, {"turn", 5}});
  EXPECT_EQ(5, peer.receive()["turn"]);
  stop.open();
  peer.say_goodbye();
}

TEST(Threads, ExceptionOfOneOfTheBotsEndsAll) {
  const ScriptedServer server;
  auto bot = run_each(server, [](Turn& turn) -> Steps {
    if (turn.match.id == "m1") throw std::runtime_error("my mistake");
    think(turn.cancellation());
    return {step};
  });
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  peer.begin({{"match", "m2"}});
  EXPECT_EQ(ready("m2"), peer.receive());
  peer.ask({{"match", "m2"}, {"remaining_ms", hour_ms}});
  peer.ask();

  EXPECT_EQ("the bot ended by std::runtime_error", peer.receive()["reason"]);
  EXPECT_THROW(bot.get(), std::runtime_error);
}
