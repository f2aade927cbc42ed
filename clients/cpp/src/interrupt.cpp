#include "interrupt.hpp"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "signals.hpp"
#include "warn.hpp"

namespace polynya {
namespace {

// How long a bot that was interrupted has to end by itself, so that destructors run.
constexpr std::chrono::seconds time_to_end{2};

}  // namespace

void Current::set(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  connection_ = connection;
}

void Current::interrupt() {
  std::shared_ptr<Connection> connection;
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    connection = connection_.lock();
  }
  changed_.notify_all();
  if (connection) connection->leave("the bot was interrupted");
}

bool Current::is_interrupted() {
  const std::lock_guard lock(mutex_);
  return interrupted_;
}

void Current::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return interrupted_; });
}

void leave_when_interrupted(std::shared_ptr<Current> current) {
  if (!watch_signals()) {
    warn("Ctrl-C will not say goodbye: no pipe");
    return;
  }
  std::thread([current = std::move(current)] {
    wait_for_signal();
    current->interrupt();
    std::this_thread::sleep_for(time_to_end);
    std::_Exit(EXIT_SUCCESS);
  }).detach();
}

}  // namespace polynya
