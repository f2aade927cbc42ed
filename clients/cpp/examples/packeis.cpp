#include "packeis.hpp"

#include <algorithm>
#include <array>

namespace packeis {
namespace {

constexpr std::array<Place, 6> directions = {{{0, 2}, {0, -2}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};

}  // namespace

Board::Board(const polynya::Json& state) {
  polynya::Json rows = polynya::Json::array();
  if (state.contains("rows")) {
    rows = state.at("rows");
  } else {
    for (int row = 0; row < 8; ++row) rows.push_back({7 + row % 2, 1 - row % 2});
  }
  for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
    polynya::Json segments = rows.at(static_cast<std::size_t>(row));
    if (segments.at(0).is_number()) segments = polynya::Json::array({segments});
    for (const auto& segment : segments) {
      for (int floe = 0; floe < segment.at(0).get<int>(); ++floe) {
        const int half = segment.at(1).get<int>() + 2 * floe;
        cells_[{row, half}] = static_cast<int>(places_.size());
        places_.push_back({row, half});
      }
    }
  }
}

int Board::cell_at(Place place) const {
  const auto found = cells_.find({place.row, place.half});
  return found == cells_.end() ? -1 : found->second;
}

Position::Position(const polynya::Json& state, std::size_t seat)
    : board_(state), fish_(state.at("fish").get<std::vector<int>>()), placing_(state.at("phase") == "placement") {
  const auto penguins = state.at("penguins").get<std::vector<std::vector<int>>>();
  for (const int fish : fish_) free_.push_back(fish > 0);
  for (const auto& owned : penguins) {
    for (const int cell : owned) free_.at(static_cast<std::size_t>(cell)) = false;
  }
  own_ = penguins.at(seat);
}

std::vector<int> Position::slides(int origin) const {
  std::vector<int> targets;
  for (const auto [down, right] : directions) {
    auto [row, half] = board_.place(origin);
    while (true) {
      const int cell = board_.cell_at({row += down, half += right});
      if (cell < 0 || !free_[static_cast<std::size_t>(cell)]) break;
      targets.push_back(cell);
    }
  }
  return targets;
}

std::vector<Valued> Position::turns() const { return placing_ ? placements() : moves(); }

std::vector<Valued> Position::placements() const {
  std::vector<Valued> turns;
  for (int cell = 0; cell < cells; ++cell) {
    const auto index = static_cast<std::size_t>(cell);
    if (!free_[index] || fish_[index] != 1) continue;
    int best_near = 0;
    for (const int near : slides(cell)) {
      best_near = std::max(best_near, fish_[static_cast<std::size_t>(near)]);
    }
    turns.push_back({best_near, {"place", cell}});
  }
  return turns;
}

std::vector<Valued> Position::moves() const {
  std::vector<Valued> turns;
  for (const int from : own_) {
    for (const int to : slides(from)) {
      const int worth =
          4 * fish_[static_cast<std::size_t>(from)] + fish_[static_cast<std::size_t>(to)];
      turns.push_back({worth, {"move", from, to}});
    }
  }
  return turns;
}

}  // namespace packeis
