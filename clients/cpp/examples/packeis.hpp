// The few rules of Packeis am Pol that the greedy bot needs.

#pragma once

#include <map>
#include <polynya/events.hpp>
#include <utility>
#include <vector>

namespace packeis {

constexpr int cells = 60;

// A place on the board: its row, and its column counted in half floes.
struct Place {
  int row;
  int half;

  bool operator==(const Place&) const = default;
};

// Where each cell is, and which cell is at a place.
class Board {
 public:
  // The board of a state: rows of 7 and 8 in turn, those of 7 indented by a half floe, unless the
  // state has rows. A row is a segment [length, indent], or several with gaps between them.
  explicit Board(const polynya::Json& state);

  Place place(int cell) const { return places_.at(static_cast<std::size_t>(cell)); }

  // The cell at a place, -1 if the board has none there.
  int cell_at(Place place) const;

 private:
  std::vector<Place> places_;
  std::map<std::pair<int, int>, int> cells_;
};

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

  Board board_;
  std::vector<int> fish_;
  std::vector<bool> free_;
  std::vector<int> own_;
  bool placing_;
};

}  // namespace packeis
