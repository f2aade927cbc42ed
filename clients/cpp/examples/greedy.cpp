// A Packeis bot that takes the most it can get in this turn, without a thought for the next. Among
// equally good turns it picks any.

#include <algorithm>
#include <polynya/client.hpp>
#include <random>

#include "packeis.hpp"
#include "seed.hpp"

int main() {
  std::mt19937 dice(seed());
  const auto choose = [&](polynya::Turn& turn) -> polynya::Steps {
    auto turns = packeis::Position(turn.state(), turn.seat()).turns();
    std::ranges::shuffle(turns, dice);
    const auto best = std::ranges::max_element(turns, {}, &packeis::Valued::worth);
    turn.info["score"] = best->worth / 4.0;
    return {best->step};
  };
  return polynya::run(choose, {.name = "greedy", .games = {{"packeis"}}, .wants = {"state"}});
}
