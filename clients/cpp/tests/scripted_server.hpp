// A server whose every word the test decides, on a real socket.

#pragma once

#include <future>
#include <polynya/client.hpp>
#include <string>

// The server's end of one connection.
class Peer {
 public:
  explicit Peer(int handle) : handle_(handle) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { hang_up(); }

  void send(const polynya::Json& message);
  void send_bytes(const std::string& bytes);
  polynya::Json receive();
  void hang_up();

  // Whether the bot has closed the connection, with nothing more to say.
  bool ended();

  // Take the hello, answer it with these keys added; the hello.
  polynya::Json welcome(const polynya::Json& more = polynya::Json::object());

  // Start a match, with these keys changed, without waiting for the bot to be ready.
  void begin(const polynya::Json& more);

  // Start match "m1" and wait until the bot is ready.
  void begin_match();

  // Ask for a turn of match "m1", as event 1, with these keys changed.
  void ask(const polynya::Json& more = polynya::Json::object());

  void say_goodbye() { send({{"type", "goodbye"}, {"reason", "finished"}}); }

 private:
  std::string exactly(std::size_t count);

  int handle_;
};

// A listening socket for bots that run in threads.
class ScriptedServer {
 public:
  ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer();

  // A bot in another thread, against this server; its future holds what leaves play.
  std::future<void> run(polynya::Choose choose, polynya::Settings settings) const;
  std::future<void> run(polynya::Bot& bot, polynya::Settings settings) const;

  int port() const { return port_; }

  // The next connection.
  Peer accept() const;

 private:
  int handle_;
  int port_ = 0;
};
