/// @file
/// What can go wrong between a bot and its server: one family, each error a sentence.

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace polynya {

/// Anything that this library throws.
class ClientError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The settings and the environment do not say where to connect, or as whom.
class BadSettings : public ClientError {
  using ClientError::ClientError;
};

/// Bytes that are no frame of the protocol, or a message that would be none.
class BadFrame : public ClientError {
 public:
  /// The protocol's word for it, and a sentence.
  BadFrame(std::string word, const std::string& sentence)
      : ClientError(sentence), code(std::move(word)) {}

  std::string code;  ///< the protocol's word for it, "malformed" or "too_large"
};

/// The server sent a message that lacks a key or has another type there: not our protocol.
class BadMessage : public ClientError {
  using ClientError::ClientError;
};

/// The connection could not be made, broke, or was silent for three heartbeats.
class ConnectionLost : public ClientError {
  using ClientError::ClientError;
};

/// The server has said goodbye, and not that it is for good: a bot comes back later.
class ServerLeft : public ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

/// The server was not there, or had no room, for as long as the bot was to try.
class GaveUp : public ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

/// Another process plays as this bot now: one that came back would throw it out in turn.
class Replaced : public ClientError {
  using ClientError::ClientError;
};

/// The server refused something and closed the connection.
class ServerError : public ClientError {
 public:
  /// The protocol's word for it, and a sentence.
  ServerError(std::string word, const std::string& sentence)
      : ClientError(word + ": " + sentence), code(std::move(word)) {}

  std::string code;  ///< the protocol's word for it, such as "unauthorized"
};

/// Turn::legal_after has no answer: the turn is not asked for any more, or a step is illegal. A bot
/// that lets it pass sends no move for this turn.
class TurnLost : public ClientError {
  using ClientError::ClientError;
};

/// The bot gave a turn without steps.
class BadTurn : public ClientError {
  using ClientError::ClientError;
};

/// The bot looks at something that it did not ask the server for.
class NotWanted : public ClientError {
  using ClientError::ClientError;
};

/// A peer's text for a terminal: what is not printable ASCII becomes `\x1b`-like notation.
std::string printable(std::string_view text);

}  // namespace polynya
