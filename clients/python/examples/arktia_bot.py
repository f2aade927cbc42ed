"""A serious bot for Arktia, 2 to 4 players: alpha-beta over points, room and what can be taken.

Needs the games library: ``pip install polynya``.
"""

from __future__ import annotations

import gc

from paranoid import Search
from polynya_client import Turn, run
from polynya_games import Step
from polynya_games.arktia import ARKTIA, ArktiaState
from polynya_games.arktia.stacks import ALL, CELLS, CONTROL, OCCUPIED, SIZE

MUGLU = 0.8
"""The worth of a muglu of ours on the board, beyond the tile that it may control."""
UNDER = 0.4
"""The part of it that is lost when another player's muglu is on top and can carry ours away."""
RESERVE = 0.3
"""The worth of a muglu in the reserve."""
ROOM = 0.15
"""The worth of a tile that a colour touches or occupies."""
GOING_ON = 1.5
"""The worth of not being out: every further turn may take or melt something."""
TURNS = 25
"""Turns of each player in a match, more or less: for clocks with a budget."""
EARLY = {"move": 2.0, "place": 1.0, "keep": 1.0, "melt": 1.0, "neutral": 1.0, "retire": 0.0}
"""Moves can take muglus, so they are looked at first."""


class ArktiaSearch(Search[ArktiaState]):
    """The search, with its knowledge about muglus."""

    def estimate(self, position: ArktiaState) -> float:
        """Points now, muglus that go on counting, and room to place and move."""
        worth = [
            points if position.out >> seat & 1 else points + self.prospects(position, seat)
            for seat, points in enumerate(position.points)
        ]
        return self.margin(worth)

    def prospects(self, position: ArktiaState, seat: int) -> float:
        """The worth of the turns that are left to a seat that is not out."""
        packed = position.packed
        own = packed >> CELLS * seat & ALL
        under = own & ~(packed >> CONTROL + CELLS * seat)
        room = position.rules.board.joins(own) & position.ice
        return (
            GOING_ON
            + MUGLU * own.bit_count()
            - UNDER * under.bit_count()
            + RESERVE * SIZE[position.reserves[seat]]
            + ROOM * room.bit_count()
        )

    def promise(self, position: ArktiaState, step: Step) -> float:
        """Moves before placements, those onto other muglus first."""
        onto = step[0] == "move" and position.packed >> OCCUPIED >> int(step[3]) & 1
        return EARLY[str(step[0])] + onto


def choose(turn: Turn) -> list[Step]:
    """The turn: place or move, and what is owed after it."""
    position = ARKTIA.state_from_json(turn.state)
    search = ArktiaSearch(position, turn.think_until(TURNS))
    steps = search.best_turn()
    turn.info |= {"score": round(search.score, 2), "depth": search.depth, "nodes": search.nodes}
    return steps


if __name__ == "__main__":
    gc.freeze()
    gc.disable()  # positions are trees: nothing for the collector to find
    run(choose, name="arktia", games=["arktia"], wants=["state"])
