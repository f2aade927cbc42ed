// Several servers of one contest: how the list is read, and which of them is tried next.

#include "addresses.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <polynya/errors.hpp>

#include "scripted_server.hpp"

using polynya::Address;
using polynya::Json;

namespace {

Json lists(const char* kind) {
  return Json::parse(std::ifstream(POLYNYA_ADDRESSES)).at(kind);
}

int port_of(const Json& list) {
  return list.at("port").is_null() ? 0 : list.at("port").get<int>();
}

}  // namespace

TEST(Addresses, ListsAreReadAsInEveryLanguage) {
  for (const Json& list : lists("read")) {
    std::vector<Address> expected;
    for (const Json& one : list.at("addresses")) expected.push_back({one.at(0), one.at(1)});
    EXPECT_EQ(expected, polynya::read_addresses(list.at("text"), port_of(list))) << list;
  }
}

TEST(Addresses, WhatIsNoListIsRefused) {
  for (const Json& list : lists("refused")) {
    EXPECT_THROW(polynya::read_addresses(list.at("text"), port_of(list)), polynya::BadSettings)
        << list;
  }
}

TEST(Addresses, ServerThatIsNotThereOrWantsNobodyIsFollowedByTheNext) {
  const ScriptedServer first;
  const ScriptedServer second;
  polynya::Settings settings = {.name = "ada", .token = "secret"};
  // Nobody listens on port 1.
  settings.host = "127.0.0.1:1, 127.0.0.1:" + std::to_string(first.port()) + ",127.0.0.1";
  auto bot = second.run([](polynya::Turn&) -> polynya::Steps { return {}; }, settings);
  Peer peer = first.accept();
  peer.welcome();
  peer.send({{"type", "goodbye"}, {"reason", "shutting_down"}});

  Peer next = second.accept();
  EXPECT_EQ("secret", next.welcome().at("token"));
  next.say_goodbye();
  bot.get();
}
