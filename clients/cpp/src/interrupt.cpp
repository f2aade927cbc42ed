#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "warn.hpp"

namespace polynya {
namespace {

int wake[2];  // a signal handler may do little more than write to this pipe

extern "C" void wake_up(int) { [[maybe_unused]] const ssize_t written = write(wake[1], "", 1); }

}  // namespace

void Current::set(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  connection_ = connection;
}

void Current::leave(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (const auto connection = connection_.lock()) connection->leave(reason);
}

void leave_when_interrupted(std::shared_ptr<Current> current) {
  if (pipe2(wake, O_CLOEXEC) != 0) {
    warn("Ctrl-C will not say goodbye: no pipe");
    return;
  }
  std::thread([current = std::move(current)] {
    char byte;
    while (::read(wake[0], &byte, 1) != 1) {
    }
    current->leave("the bot was interrupted");
    _exit(EXIT_SUCCESS);
  }).detach();
  std::signal(SIGINT, wake_up);
  std::signal(SIGTERM, wake_up);
}

}  // namespace polynya
