// Remarks that cannot be sent are left out, and the move is sent.

#include <gtest/gtest.h>

#include <limits>

#include "remarks.hpp"
#include "scripted_server.hpp"

using polynya::Json;
using polynya::Steps;
using polynya::Turn;

namespace {

Json deep(int levels) {
  Json found = Json::object();
  for (int level = 0; level < levels; ++level) found = {{"a", found}};
  return found;
}

const Json step = {"move", 12, 40};

}  // namespace

TEST(Remarks, ThatCannotBeSentAreLeftOut) {
  const std::vector<Json> infos = {
      {{"text", "\xff"}},
      {{"\xff", 1}},
      {{"score", std::numeric_limits<double>::quiet_NaN()}},
      {{"score", -std::numeric_limits<double>::infinity()}},
      {{"raw", Json::binary({1, 2})}},
      {{"lost", Json(Json::value_t::discarded)}},
      {{"text", std::string(10'000'000, 'x')}},
      {{"text", std::string(1024, 'x')}},
      deep(15),
      deep(1000),
      Json::array({"a", "list"})};
  const ScriptedServer server;
  const auto choose = [&](Turn& turn) -> Steps {
    turn.info = infos.at(turn.number - 1);
    return {step};
  };
  const auto bot = server.run(choose, {.name = "ada", .token = "secret"});
  Peer peer = server.accept();
  peer.welcome();
  peer.begin_match();
  for (std::size_t turn = 1; turn <= infos.size(); ++turn) {
    peer.ask({{"seq", turn}, {"turn", turn}});
    const Json move = {{"type", "move"}, {"match", "m1"}, {"turn", turn}, {"steps", {step}}};
    EXPECT_EQ(move, peer.receive());
  }
  peer.say_goodbye();
}

TEST(Remarks, OfFifteenLevelsCanBeSent) { EXPECT_EQ("", polynya::unsendable(deep(14))); }
