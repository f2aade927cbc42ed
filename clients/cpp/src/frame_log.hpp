// A log of what was sent and received: one JSON object a line, the token left out.

#pragma once

#include <fstream>
#include <ostream>
#include <polynya/events.hpp>
#include <string>

namespace polynya {

class FrameLog {
 public:
  // The log for a file (which several bots may append to), "-" for standard error, or none if
  // empty. Throws BadSettings if the file cannot be written.
  FrameLog(const std::string& target, std::string bot);

  // One line: wall-clock time in seconds, the bot, "sent" or "received", the message.
  void write(const char* direction, const Json& message);

 private:
  std::ofstream file_;
  std::ostream* out_ = nullptr;
  std::string bot_;
};

}  // namespace polynya
