// A sign of life while the bot thinks: servers drop a peer that is silent for three heartbeats.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "connection.hpp"

namespace polynya {

// Sends a ping whenever nothing else was sent for a heartbeat, in a thread of its own.
class KeepAlive {
 public:
  KeepAlive(Connection& connection, std::chrono::milliseconds heartbeat);

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

}  // namespace polynya
