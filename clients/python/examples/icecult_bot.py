"""A serious bot for Ice Cult, 2 to 4 players: all our turns, then the answers to the best of them.

A position is measured by how many advances each player still needs to win, by a tower or by the
goal, if no other player interferes. Pawns that stand on each other go together, so the fields that
the lowest pawn of a path has to go count.

Needs the games library: ``pip install polynya``.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from polynya_client import Turn, run
from polynya_games import Step
from polynya_games.icecult import ICECULT, IceCultState, successors
from polynya_games.icecult.board import FIELDS, PAWNS, pawns, unpack

WIN = 1000.0
GOAL_WEIGHT = 0.15
"""The worth of one advance less to the goal when the tower is nearer, in advances."""
TURNS = 12
"""Turns of each player in a match, more or less: for clocks with a budget."""


class OnPath(NamedTuple):
    """A colour's pawns on a path: how many, and the lowest and the highest field, 0 without any."""

    pawns: int
    lowest: int
    highest: int


@lru_cache(1 << 15)
def on_path(path: str, colour: int) -> OnPath:
    """A colour's pawns on a path."""
    there = pawns(path, colour)
    return OnPath(len(there), there[0][0], there[-1][0]) if there else OnPath(0, 0, 0)


@lru_cache(1 << 16)
def need(paths: Sequence[str], colour: int, start: int) -> float:
    """The advances that a colour still needs to win; the way to the goal breaks ties.

    Args:
        paths: the four paths.
        colour: whose need.
        start: its pawns in the start area; what is neither there nor on a path is in the goal.
    """
    there = [on_path(path, colour) for path in paths]
    goal = start + sum(FIELDS + 1 - path.lowest for path in there if path.pawns)
    if start:  # the last to enter follow a path from its first field on
        goal += min(path.lowest - 1 if path.pawns else FIELDS for path in there)
    tower = [
        start + path.highest - (1 if start else path.lowest)
        for path in there
        if path.pawns + start == PAWNS
    ]
    if start == PAWNS:
        tower = [PAWNS]
    return min([goal, *tower]) + GOAL_WEIGHT * goal


class Search:
    """The search for one turn.

    Attributes:
        score: what our best turn is worth, in advances ahead.
        answered: how many of our turns were looked at with all answers.
    """

    def __init__(self, root: IceCultState, deadline: float) -> None:
        self.root = root
        self.seat = root.to_move
        self.live = root.turn.live()
        self.deadline = deadline
        self.score = 0.0
        self.answered = 0

    def best_turn(self) -> list[Step]:
        """The best turn that was found in time."""
        turns = self.ranked()
        self.score, best, _ = turns[0]
        floor = -2 * WIN
        for _, steps, after in turns:
            answer = self.worst_answer(after, floor)
            if time.monotonic() > self.deadline:
                break
            self.answered += 1
            if answer > floor:
                self.score, best, floor = answer, steps, answer
            if floor >= WIN:
                break
        return best

    def ranked(self) -> list[tuple[float, list[Step], IceCultState]]:
        """Our turns, the best at first sight first; not all of them if time is out."""
        turns = []
        for steps, after in successors(self.root):
            turns.append((self.estimate(after), steps, after))
            if time.monotonic() > self.deadline:
                break
        return sorted(turns, key=lambda turn: -turn[0])

    def worst_answer(self, position: IceCultState, floor: float) -> float:
        """The worst that the next player leaves us, as far as there is time to look.

        A value that is not above ``floor`` ends the search: this turn of ours is no better.
        """
        if position.to_move is None:
            return self.estimate(position)
        worst = 2 * WIN
        for _, after in successors(position):
            worst = min(worst, self.estimate(after))
            if worst <= floor or time.monotonic() > self.deadline:
                break
        return worst

    def estimate(self, position: IceCultState) -> float:
        """How many advances the nearest other player needs more than we do."""
        if position.to_move is None and (winners := position.turn.winners):
            return (WIN if self.seat in winners else -WIN) / len(winners)
        paths, start = position.paths, unpack(position.start)
        needs = {seat: need(paths, seat, start[seat]) for seat in self.live}
        return min(needs[seat] for seat in self.live if seat != self.seat) - needs[self.seat or 0]


def choose(turn: Turn) -> list[Step]:
    """The whole turn: two tips and what follows."""
    search = Search(ICECULT.state_from_json(turn.state), turn.think_until(TURNS))
    steps = search.best_turn()
    turn.info |= {"score": round(search.score, 2), "answered": search.answered}
    return steps


if __name__ == "__main__":
    gc.freeze()
    gc.disable()  # positions are trees: nothing for the collector to find
    run(choose, name="icecult", games=["icecult"], wants=["state"])
