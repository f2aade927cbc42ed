// The codec is held to the bytes in protocol/vectors, as every SDK is.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <polynya/errors.hpp>
#include <set>

#include "codec.hpp"
#include "remarks.hpp"
#include "strict.hpp"

using polynya::Json;

namespace {

const std::filesystem::path vectors = POLYNYA_VECTORS;
constexpr std::size_t length_bytes = 4;
// Well-formed frames: a client ignores what it does not know, and looks at keys when it acts.
const std::set<std::string> not_the_codecs_business = {"an unknown message", "a message of clients",
                                                       "turn without remaining_ms",
                                                       "an unknown reason", "pong before welcome"};

Json read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return Json::parse(stream);
}

std::string bytes(const std::string& hex) {
  std::string result;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    result += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return result;
}

std::string payload(const Json& hex) { return bytes(hex).substr(length_bytes); }

// The cases of all messages that one of these sends.
Json cases(const std::set<std::string>& senders) {
  Json found = Json::array();
  for (const auto& file : std::filesystem::directory_iterator(vectors)) {
    if (file.path().extension() != ".json") continue;
    const Json document = read(file.path());
    if (!document.is_object() || !senders.contains(document.value("from", ""))) continue;
    for (const Json& each : document["cases"]) found.push_back(each);
  }
  EXPECT_GT(found.size(), 20U);
  return found;
}

// Whether a message says a value, and perhaps more under keys that nobody knows.
bool says(const Json& message, const Json& value) {
  if (!value.is_structured()) return message == value;
  if (message.type() != value.type()) return false;
  if (value.is_array() && message.size() != value.size()) return false;
  for (const auto& [key, child] : value.items()) {
    const auto pointer = Json::json_pointer() / key;
    if (!message.contains(pointer) || !says(message[pointer], child)) return false;
  }
  return true;
}

// The code that a frame is refused with, or nothing.
std::string verdict(const std::string& frame_payload) {
  try {
    polynya::decode(frame_payload);
  } catch (const polynya::BadFrame& error) {
    return error.code;
  }
  return "";
}

}  // namespace

TEST(Vectors, MessageIsEncodedToAFrameThatSaysIt) {
  for (const Json& each : cases({"client", "either"})) {
    const std::string frame = polynya::encode(each["value"]);
    EXPECT_EQ(polynya::decode(frame.substr(length_bytes)), each["value"]) << each["name"];
    EXPECT_LE(frame.size(), bytes(each["hex"]).size()) << each["name"];
  }
}

TEST(Vectors, SharedBytesAreDecodedInAllTheirForms) {
  for (const Json& each : cases({"server", "either"})) {
    EXPECT_TRUE(says(polynya::decode(payload(each["hex"])), each["value"])) << each["name"];
    for (const Json& other : each["also"]) {
      const Json message = polynya::decode(payload(other["hex"]));
      EXPECT_TRUE(says(message, each["value"])) << each["name"] << ", " << other["name"];
    }
  }
}

TEST(Vectors, FrameThatIsNoMessageIsRefusedWithTheSharedCode) {
  const Json refused = read(vectors / "refused.json");
  for (const Json& each : refused["from_server"]) {
    const bool well_formed = not_the_codecs_business.contains(each["name"]);
    const std::string expected = well_formed ? "" : each["code"].get<std::string>();
    EXPECT_EQ(expected, verdict(payload(each["hex"]))) << each["name"];
  }
}

TEST(Vectors, RemarksAreSentOrLeftOut) {
  for (const Json& each : read(vectors / "remarks.json")) {
    if (!each["needs"].is_null()) continue;  // an integer beyond 64 bits is a double here
    EXPECT_EQ(each["sent"].get<bool>(), polynya::unsendable(each["info"]).empty()) << each["name"];
  }
}

TEST(Vectors, FramesComeOutOfAnyPieces) {
  for (const Json& each : read(vectors / "framing.json")) {
    polynya::FrameBuffer buffer(each["max_frame"]);
    std::vector<std::string> payloads;
    Json then;
    try {
      for (const Json& chunk : each["chunks"]) {
        buffer.add(bytes(chunk));
        while (const auto next = buffer.take()) payloads.emplace_back(*next);
      }
    } catch (const polynya::BadFrame& error) {
      then = error.code;
    }
    std::vector<std::string> expected;
    for (const Json& hex : each["payloads"]) expected.push_back(bytes(hex));
    EXPECT_EQ(expected, payloads) << each["name"];
    EXPECT_EQ(each["then"], then) << each["name"];
  }
}

TEST(Codec, MessageThatTheServerWouldNotTakeIsRefusedBeforeItIsSent) {
  const std::map<std::string, Json> refused = {
      {"too_large", {{"type", "move"}, {"text", std::string(64 * 1024, 'x')}}},
      {"malformed", {{"type", "move"}, {"steps", {{"\xff"}}}}}};
  for (const auto& [code, message] : refused) {
    try {
      polynya::encode(message);
      ADD_FAILURE() << code;
    } catch (const polynya::BadFrame& error) {
      EXPECT_EQ(code, error.code);
    }
  }
}

TEST(Codec, TextIsUtf8InItsShortestFormWithoutSurrogates) {
  for (const char* good : {"", "ice", "Gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x90\xa7"}) {
    EXPECT_TRUE(polynya::is_utf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(polynya::is_utf8(bad));
  }
}

TEST(Errors, ControlCharactersDoNotReachATerminal) {
  EXPECT_EQ("too \\x1b[31mlate", polynya::printable("too \x1b[31mlate"));
}
