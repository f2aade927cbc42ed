"""A serious bot for Packeis am Pol, 2 to 4 players: alpha-beta over an estimate of territory.

Needs the games library: ``pip install polynya``.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

from paranoid import Search
from polynya_client import Turn, run
from polynya_games import Step
from polynya_games.packeis import PACKEIS, PackeisState
from polynya_games.packeis.board import Board

TERRITORY = 0.75
"""The worth of a fish that we would reach first, against a caught fish."""
MOBILITY = 0.15
"""The worth of a free neighbouring floe, in fish."""
TURNS = 20
"""Turns of each player in a match, more or less: for clocks with a budget."""


class PackeisSearch(Search[PackeisState]):
    """The search, with its knowledge about fish."""

    def __init__(self, root: PackeisState, deadline: float) -> None:
        super().__init__(root, deadline)
        layout = root.layout.fish
        self.one, self.two, self.three = (
            sum(1 << cell for cell, fish in enumerate(layout) if fish >= count)
            for count in (1, 2, 3)
        )

    def estimate(self, position: PackeisState) -> float:
        """Fish caught, fish that would be reached first and room to move, against the others."""
        catches = position.fish_caught
        claims = territories(position.layout.board, position.free, position.penguins)
        return self.margin(
            [
                catch + TERRITORY * self.fish(territory) + MOBILITY * room.bit_count()
                for catch, (territory, room) in zip(catches, claims, strict=True)
            ]
        )

    def promise(self, position: PackeisState, step: Step) -> float:
        """Fish now and fish next."""
        return float(sum(position.layout.fish[int(cell)] for cell in step[1:]))

    def fish(self, board: int) -> int:
        """The fish on a bitboard's floes."""
        return (
            (board & self.one).bit_count()
            + (board & self.two).bit_count()
            + (board & self.three).bit_count()
        )


def territories(board: Board, free: int, penguins: Sequence[int]) -> list[tuple[int, int]]:
    """Per seat the bitboard of the free floes that it reaches first, and of those next to it.

    All penguins spread over the free floes at the same speed, floe by floe.
    """
    rooms = [board.adjacent(own) & free for own in penguins]
    claimed = [0] * len(rooms)
    grown = rooms
    while any(grown):
        once = twice = 0
        for front in grown:
            twice |= once & front
            once |= front
        for seat, front in enumerate(grown):
            claimed[seat] |= front & ~twice
        free &= ~once
        grown = [board.adjacent(front) & free for front in grown]
    return list(zip(claimed, rooms, strict=True))


def choose(turn: Turn) -> list[Step]:
    """The turn: one step."""
    position = PACKEIS.state_from_json(turn.state)
    search = PackeisSearch(position, turn.think_until(TURNS))
    steps = search.best_turn()
    turn.info |= {"score": round(search.score, 2), "depth": search.depth, "nodes": search.nodes}
    return steps


if __name__ == "__main__":
    gc.freeze()
    gc.disable()  # positions are trees: nothing for the collector to find
    run(choose, name="packeis", games=["packeis"], wants=["state"])
