#include "frame_log.hpp"

#include <chrono>
#include <iostream>
#include <polynya/errors.hpp>

namespace polynya {
namespace {

double wall_clock_seconds() {
  using std::chrono::microseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<microseconds>(now).count()) / 1e6;
}

}  // namespace

FrameLog::FrameLog(const std::string& target, std::string bot) : bot_(std::move(bot)) {
  if (target.empty()) return;
  out_ = &std::cerr;
  if (target == "-") return;
  file_.open(target, std::ios::app);
  if (!file_) throw BadSettings("cannot write the log " + target);
  out_ = &file_;
}

void FrameLog::write(const char* direction, const Json& message) {
  if (out_ == nullptr) return;
  Json entry = {{"time", wall_clock_seconds()},
                {"bot", bot_.empty() ? Json() : Json(bot_)},
                {"direction", direction},
                {"message", message}};
  if (message.contains("token")) entry["message"]["token"] = "(left out)";
  *out_ << entry.dump() + "\n" << std::flush;
}

}  // namespace polynya
