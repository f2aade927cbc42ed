// A Packeis bot that thinks on the opponents' time: it has its answer before they have moved.
//
// While the others think, it works out its answer to each move that they may make, the likeliest first.
// At its turn it looks the answer up, or works it out if it had not come to that.

#include <algorithm>
#include <map>
#include <polynya/client.hpp>
#include <string>

#include "packeis.hpp"

using polynya::Json;
using polynya::Step;

namespace {

int most(const std::vector<packeis::Valued>& turns) {
  const auto best = std::ranges::max_element(turns, {}, &packeis::Valued::worth);
  return best == turns.end() ? 0 : best->worth;
}

// The position after a move of this seat.
Json after(Json state, std::size_t seat, const Step& step) {
  state.at("fish").at(step.at(1).get<std::size_t>()) = 0;
  for (Json& cell : state.at("penguins").at(seat)) {
    if (cell == step.at(1)) cell = step.at(2);
  }
  return state;
}

// The step that brings the most after what it leaves to the next player; null if there is none.
Step best(const Json& state, std::size_t seat, std::size_t players) {
  Step chosen;
  int most_so_far = 0;
  for (const auto& [worth, step] : packeis::Position(state, seat).turns()) {
    int value = worth;
    if (state.at("phase") == "movement") {
      const std::size_t next = (seat + 1) % players;
      value -= most(packeis::Position(after(state, seat, step), next).turns());
    }
    if (chosen.is_null() || value > most_so_far) {
      chosen = step;
      most_so_far = value;
    }
  }
  return chosen;
}

class Ponderer : public polynya::Bot {
 public:
  void match_start(polynya::Match&) override {
    state_ = {};
    answers_.clear();
    last_.clear();
  }

  polynya::Steps turn(polynya::Turn& turn) override {
    const Json& state = turn.state();
    const auto legal = packeis::Position(state, turn.seat()).turns();
    const auto found = answers_.find(last_);
    Step step = found == answers_.end() ? Step() : found->second;
    const bool prepared = std::ranges::any_of(
        legal, [&](const packeis::Valued& valued) { return valued.step == step; });
    if (!prepared) step = best(state, turn.seat(), turn.match.players.size());
    turn.info["prepared"] = prepared;
    answers_.clear();
    state_ = state.at("phase") == "movement" ? after(state, turn.seat(), step) : Json();
    return {step};
  }

  void moved(polynya::Match&, const polynya::Moved& moved) override {
    const Step& step = moved.steps.back();
    last_ = step.dump();
    if (!state_.is_null()) state_ = after(state_, moved.seat, step);
  }

  void ponder(polynya::Match& match, const polynya::Cancellation& until) override {
    if (state_.is_null()) return;
    const std::size_t players = match.players.size();
    const std::size_t before = (match.seat + players - 1) % players;
    auto replies = packeis::Position(state_, before).turns();
    std::ranges::sort(replies, std::ranges::greater(), &packeis::Valued::worth);
    for (const auto& reply : replies) {
      if (until.is_cancelled()) return;
      answers_[reply.step.dump()] = best(after(state_, before, reply.step), match.seat, players);
    }
  }

 private:
  Json state_;                           // the present position; null while penguins are placed
  std::map<std::string, Step> answers_;  // by the last step before our turn, as text
  std::string last_;
};

}  // namespace

int main() {
  Ponderer bot;
  return polynya::run(bot, {.name = "ponder", .games = {{"packeis"}}, .wants = {"state"}});
}
