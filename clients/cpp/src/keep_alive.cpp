#include "keep_alive.hpp"

#include <polynya/errors.hpp>

namespace polynya {

KeepAlive::KeepAlive(Connection& connection, std::chrono::milliseconds heartbeat)
    : thread_([this, &connection, heartbeat](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
          ended_.wait_for(lock, stop, heartbeat, [] { return false; });
          if (stop.stop_requested() || connection.silent() < heartbeat) continue;
          try {
            connection.send({{"type", "ping"}, {"nonce", 0}});
          } catch (const ClientError&) {
            return;  // whoever receives notices too
          }
        }
      }) {}

}  // namespace polynya
