// The few rules of Packeis am Pol that the greedy bot needs.

#pragma once

#include <polynya/events.hpp>
#include <vector>

namespace packeis {

constexpr int cells = 60;

// A place on the board: its row, and its column counted in half floes.
struct Place {
  int row;
  int half;

  bool operator==(const Place&) const = default;
};

// Where a cell is: rows of 7 and 8 in turn, those of 7 indented by a half floe.
Place place(int cell);

// The cell at a place, -1 if the board has none there.
int cell_at(Place place);

// A turn, and what it is worth.
struct Valued {
  int worth;
  polynya::Step step;
};

// What a seat sees of a position.
class Position {
 public:
  Position(const polynya::Json& state, std::size_t seat);

  // The cells that a penguin on this one can slide to.
  std::vector<int> slides(int origin) const;

  // All turns: a movement is worth the floe that is left, and a quarter of the next one; a
  // placement the best floe in reach.
  std::vector<Valued> turns() const;

 private:
  std::vector<Valued> placements() const;
  std::vector<Valued> moves() const;

  std::vector<int> fish_;
  std::vector<bool> free_;
  std::vector<int> own_;
  bool placing_;
};

}  // namespace packeis
