// Ctrl-C and SIGTERM, as this system tells of them.

#pragma once

namespace polynya {

// From now on they are watched for; whether that is possible. To be called once or more.
bool watch_signals();

// Return when the first of them has come.
void wait_for_signal();

}  // namespace polynya
