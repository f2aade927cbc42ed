// What a bot's dice begin with: POLYNYA_SEED plays the same again, otherwise it is chance.

#pragma once

#include <cstdlib>
#include <random>

inline unsigned seed() {
  if (const char* given = std::getenv("POLYNYA_SEED")) {
    return static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  }
  return std::random_device()();
}
