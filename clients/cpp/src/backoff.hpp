// How long to wait between attempts to connect again.

#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace polynya {

// Pauses that double from 0.1 s to 5 s and are as long as the total together.
inline std::vector<std::chrono::milliseconds> backoff(std::chrono::milliseconds total) {
  constexpr std::chrono::milliseconds longest{5000};
  std::vector<std::chrono::milliseconds> pauses;
  std::chrono::milliseconds pause{100};
  while (total.count() > 0) {
    pauses.push_back(std::min(pause, total));
    total -= pauses.back();
    pause = std::min(pause * 2, longest);
  }
  return pauses;
}

}  // namespace polynya
