// A bot that knows no rules: it asks the server what is legal and picks any of it. With
// "--concurrency 2" it plays two matches at the same time.

#include <cstdlib>
#include <polynya/client.hpp>
#include <random>
#include <string_view>

#include "seed.hpp"

using polynya::Step;
using polynya::Steps;
using polynya::Turn;

int main(int count, char** words) {
  // One random legal step after the other until the turn is over; each match has dice of its own.
  const auto choose = [dice = std::mt19937(seed())](Turn& turn) mutable {
    const auto any = [&](const Steps& steps) -> const Step& {
      return steps[std::uniform_int_distribution<std::size_t>(0, steps.size() - 1)(dice)];
    };
    turn.info["choices"] = turn.legal().size();
    Steps steps = {any(turn.legal())};
    for (auto legal = turn.legal_after(steps); !legal.turn_over; legal = turn.legal_after(steps)) {
      steps.push_back(any(legal.steps));
    }
    return steps;
  };
  const bool several = count == 3 && std::string_view(words[1]) == "--concurrency";
  const int concurrency = several ? std::atoi(words[2]) : 1;
  return polynya::run_each([&] { return polynya::make_bot(choose); },
                           {.name = "random", .wants = {"legal"}, .concurrency = concurrency});
}
