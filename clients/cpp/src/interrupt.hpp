// Ctrl-C and SIGTERM: the bot says goodbye on the connection in use, and the program ends.

#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "connection.hpp"

namespace polynya {

// The connection in use, for the signal on which the bot says goodbye.
class Current {
 public:
  void set(const std::shared_ptr<Connection>& connection);

  // The bot is to end: it says goodbye.
  void interrupt();

  bool is_interrupted();

  // Wait for this time, or until the bot is interrupted.
  void wait(std::chrono::milliseconds time);

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::weak_ptr<Connection> connection_;
  bool interrupted_ = false;
};

// From now on SIGINT and SIGTERM say goodbye and end the program with exit code 0.
void leave_when_interrupted(std::shared_ptr<Current> current);

}  // namespace polynya
