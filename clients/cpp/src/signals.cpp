#include "signals.hpp"

#ifdef _WIN32

#include <windows.h>

namespace polynya {
namespace {

HANDLE come = nullptr;

// Windows calls it in a thread of its own, and ends the program when it has returned.
BOOL WINAPI wake_up(DWORD) {
  SetEvent(come);
  return TRUE;
}

}  // namespace

bool watch_signals() {
  come = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  return come != nullptr && SetConsoleCtrlHandler(wake_up, TRUE) != 0;
}

void wait_for_signal() { WaitForSingleObject(come, INFINITE); }

}  // namespace polynya

#else

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace polynya {
namespace {

int wake[2];  // a signal handler may do little more than write to this pipe

extern "C" void wake_up(int) { [[maybe_unused]] const ssize_t written = write(wake[1], "", 1); }

}  // namespace

bool watch_signals() {
  if (pipe(wake) != 0) return false;
  for (const int end : wake) fcntl(end, F_SETFD, FD_CLOEXEC);
  std::signal(SIGINT, wake_up);
  std::signal(SIGTERM, wake_up);
  return true;
}

void wait_for_signal() {
  char byte;
  while (::read(wake[0], &byte, 1) != 1) {
  }
}

}  // namespace polynya

#endif
