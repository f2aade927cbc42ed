/// @file
/// Where to connect, as whom, wanting what: the program's words, overridden by the environment.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <polynya/events.hpp>
#include <string>
#include <vector>

namespace polynya {

/// Everything that run needs to know besides the bot.
///
/// POLYNYA_HOST, POLYNYA_PORT, POLYNYA_TOKEN, POLYNYA_TOKEN_FILE, POLYNYA_NAME, POLYNYA_GAMES (separated
/// by commas), POLYNYA_CONCURRENCY, POLYNYA_TLS (1 or 0), POLYNYA_CA_FILE, POLYNYA_RECONNECT (seconds, or
/// "forever") and POLYNYA_LOG in the environment win over what is set here, so that a tournament can start
/// any bot unchanged.
struct Settings {
  std::string name = {};  ///< 1 to 32 of A-Za-z0-9_.-; may be left out with a token
  std::optional<std::vector<std::string>> games = {};  ///< those it plays; any, if left out
  std::vector<std::string> wants = {"state", "legal"};  ///< also "moved", for our own turns
  /// How many matches it plays at the same time: in threads of their own with run_each, a turn after the
  /// other with run.
  int concurrency = 1;
  /// The server's; several servers of one contest are tried in turn: HOST,HOST:PORT,[IPV6]:PORT.
  std::string host = "127.0.0.1";
  int port = 0;  ///< where host names none
  std::string token = {};  ///< what proves that the name is ours
  std::map<std::string, std::string> software = {};  ///< "name", "version", for the records
  bool tls = false;  ///< encrypt, and verify the certificate
  std::string ca_file = {};  ///< certificates (PEM) to trust instead of those of this computer
  std::string log = {};  ///< a file for all messages as JSON lines, "-" for standard error
  /// How long to try when the server is not there, has no room, or has said goodbye without meaning it
  /// for good.
  std::chrono::milliseconds reconnect = std::chrono::seconds(60);
};

/// The value of an environment variable, empty if it is not set.
using Environment = std::function<std::string(const std::string&)>;

/// These settings, overridden by the environment. Throws BadSettings if no port is given anywhere,
/// or it is no port.
Settings in_force(Settings settings, const Environment& environment);

/// The message that introduces this bot.
Json hello(const Settings& settings);

}  // namespace polynya
