// Where to connect, as whom, and how patiently.

#include <gtest/gtest.h>

#include <polynya/errors.hpp>
#include <polynya/settings.hpp>

#include "retries.hpp"

using namespace std::chrono_literals;
using polynya::Json;
using polynya::Settings;

namespace {

polynya::Environment environment(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

}  // namespace

TEST(Settings, EnvironmentWinsOverTheProgram) {
  const Settings program = {.name = "ada", .host = "nowhere.invalid", .port = 1, .token = "mine"};
  const Settings settings = polynya::in_force(program, environment({{"POLYNYA_HOST", "::1"},
                                                                    {"POLYNYA_PORT", "4242"},
                                                                    {"POLYNYA_NAME", "hosted"},
                                                                    {"POLYNYA_TOKEN", "theirs"},
                                                                    {"POLYNYA_GAMES", "packeis, , icecult,"},
                                                                    {"POLYNYA_CONCURRENCY", "3"},
                                                                    {"POLYNYA_CA_FILE", "ca.pem"},
                                                                    {"POLYNYA_TLS", "1"}}));
  EXPECT_EQ("::1", settings.host);
  EXPECT_EQ(4242, settings.port);
  EXPECT_EQ("hosted", settings.name);
  EXPECT_EQ("theirs", settings.token);
  EXPECT_TRUE(settings.tls);
  EXPECT_EQ((std::vector<std::string>{"packeis", "icecult"}), settings.games);
  EXPECT_EQ(3, settings.concurrency);
  EXPECT_EQ("ca.pem", settings.ca_file);
}

TEST(Settings, ConcurrencyThatIsNoneIsASentence) {
  for (const std::string text : {"0", "two", "-1", "3 "}) {
    EXPECT_THROW(
        polynya::in_force({}, environment({{"POLYNYA_PORT", "1"}, {"POLYNYA_CONCURRENCY", text}})),
        polynya::BadSettings);
  }
}

TEST(Settings, HelloIntroducesTheBot) {
  const Settings settings = {.name = "ada",
                             .games = {{"packeis"}},
                             .wants = {"state"},
                             .concurrency = 3,
                             .token = "secret",
                             .software = {{"name", "floe"}, {"version", "2"}}};
  const Json software = {{"name", "floe"}, {"version", "2"}, {"language", "C++20"}};
  const Json expected = {{"type", "hello"},         {"protocol", 1},
                         {"name", "ada"},           {"token", "secret"},
                         {"concurrency", 3},        {"games", Json::array({"packeis"})},
                         {"software", software},    {"wants", Json::array({"state"})},
                         {"max_frame", 1024 * 1024}};
  EXPECT_EQ(expected, polynya::hello(settings));
}

TEST(Settings, BotHasNoVersionButItsOwn) {
  const Json software = {{"name", "polynya-client"}, {"language", "C++20"}};
  EXPECT_EQ(software, polynya::hello({}).at("software"));
}

TEST(Settings, PortThatIsNoneIsASentence) {
  for (const char* port : {"70000", "0", "4242x", "-1"}) {
    EXPECT_THROW(polynya::in_force({}, environment({{"POLYNYA_PORT", port}})),
                 polynya::BadSettings);
  }
  EXPECT_THROW(polynya::in_force({}, environment({})), polynya::BadSettings);
}

TEST(Retries, PausesDoubleUpToFiveSecondsAndAreShortenedByChance) {
  polynya::Retries retries(1h);
  for (const auto longest : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
    const auto pause = retries.after(false).value();
    EXPECT_LE(longest / 2, pause);
    EXPECT_GE(longest, pause);
  }
}

TEST(Retries, LostSessionBeginsThePausesAnewAndOneThatTheServerEndedDoesNot) {
  for (const bool is_word : {false, true}) {
    polynya::Retries retries(1h);
    for (int attempt = 0; attempt < 8; ++attempt) retries.after(false);
    retries.welcome();
    const auto longest = is_word ? 5000ms : 100ms;
    const auto pause = retries.after(is_word).value();
    EXPECT_LE(longest / 2, pause);
    EXPECT_GE(longest, pause);
  }
}

TEST(Retries, WhereTheServerWantsNobodyNowTheFirstPauseIsLonger) {
  EXPECT_LE(1250ms, polynya::Retries(1h).after(true).value());
}
