// Ctrl-C and SIGTERM: the bot says goodbye on the connection in use, and the program ends.

#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "connection.hpp"

namespace polynya {

// The connection in use, for whoever has to say goodbye on it.
class Current {
 public:
  void set(const std::shared_ptr<Connection>& connection);
  void leave(const std::string& reason);

 private:
  std::mutex mutex_;
  std::weak_ptr<Connection> connection_;
};

// From now on SIGINT and SIGTERM say goodbye and end the program with exit code 0.
void leave_when_interrupted(std::shared_ptr<Current> current);

}  // namespace polynya
