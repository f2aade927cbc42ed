// The greedy bot's rules.

#include "packeis.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using polynya::Json;

namespace {

packeis::Position position(const char* phase, std::size_t hole) {
  std::vector<int> fish(packeis::cells, 1);
  fish[hole] = 0;
  return packeis::Position({{"fish", fish}, {"penguins", {{24}, {26}}}, {"phase", phase}}, 0);
}

}  // namespace

TEST(Packeis, PlacesAndCellsAreEachOthersInverse) {
  const packeis::Board board{Json::object()};
  for (int cell = 0; cell < packeis::cells; ++cell) {
    EXPECT_EQ(cell, board.cell_at(board.place(cell)));
  }
  EXPECT_EQ(-1, board.cell_at({0, 15}));
}

TEST(Packeis, StateWithRowsHasAnotherBoard) {
  const Json state = Json::parse(
      R"({"fish": [1, 1, 1, 1, 1, 1, 1], "penguins": [[4], [1]], "phase": "movement",
          "rows": [[3, 1], [[2, 0], [2, 6]]]})");
  const packeis::Position position(state, 0);
  EXPECT_EQ((std::vector{3, 0}), position.slides(4));
  EXPECT_EQ((std::vector{5}), position.slides(2));
}

TEST(Packeis, PenguinSlidesUpToTheEdgeAHoleOrAnotherPenguin) {
  std::vector<int> targets = position("movement", 17).slides(24);
  std::ranges::sort(targets);
  EXPECT_EQ((std::vector{0, 8, 16, 22, 23, 25, 31, 32, 38, 40, 45, 48, 52, 56}), targets);
}

TEST(Packeis, PenguinsArePlacedOnFreeFloesWithOneFish) {
  EXPECT_EQ(packeis::cells - 3U, position("placement", 0).turns().size());
}
