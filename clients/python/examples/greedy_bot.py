"""A bot that takes the most it can get in this turn, without a thought for the next.

Packeis am Pol it plays with its own few lines of rules, the other games with the games library, if
that is installed. Among equally good turns it picks any.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from polynya_client import Steps, Turn, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seed", default=os.environ.get("POLYNYA_SEED"), help="play the same again")

USUAL_ROWS = ((7, 1), (8, 0)) * 4
"""Packeis: length and indent, in half floes, of each row, unless the state has ``rows``."""
DIRECTIONS = ((0, 2), (0, -2), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Board:
    """Where a penguin can slide to; a row is a segment, or a list of segments with gaps between."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self.places = [
            (row, indent + 2 * position)
            for row, given in enumerate(rows)
            for length, indent in ([given] if isinstance(given[0], int) else given)
            for position in range(length)
        ]
        self.cells = {place: cell for cell, place in enumerate(self.places)}

    def slides(self, origin: int, free: set[int]) -> list[int]:
        """The cells that a penguin on ``origin`` can slide to."""
        targets = []
        for down, right in DIRECTIONS:
            row, place = self.places[origin]
            while (cell := self.cells.get((row := row + down, place := place + right))) in free:
                targets.append(cell)
        return targets


def packeis_turns(turn: Turn) -> list[tuple[float, Steps]]:
    """Leave the floe with the most fish, for the floe with the most fish."""
    fish, penguins = turn.state["fish"], turn.state["penguins"]
    slides = Board(turn.state.get("rows", USUAL_ROWS)).slides
    free = {cell for cell in range(60) if fish[cell]} - {cell for own in penguins for cell in own}
    if turn.state["phase"] == "placement":
        best_near = {cell: max((fish[c] for c in slides(cell, free)), default=0) for cell in free}
        return [(best_near[cell], [["place", cell]]) for cell in free if fish[cell] == 1]
    return [
        (fish[origin] + fish[target] / 4, [["move", origin, target]])
        for origin in penguins[turn.seat]
        for target in slides(origin, free)
    ]


def arktia_turns(turn: Turn) -> list[tuple[float, Steps]]:
    """The most points ahead of the best other player; retiring only when nothing else is left."""
    state = ARKTIA.state_from_json(turn.state)
    return [
        (ahead(after.points, turn.seat) - 100 * (steps[0][0] == "retire"), steps)
        for steps, after in whole_turns(state)
    ]


def icecult_turns(turn: Turn) -> list[tuple[float, Steps]]:
    """The most fields ahead of the best other player; a win above all."""
    state = ICECULT.state_from_json(turn.state)
    until = turn.think_until()
    turns: list[tuple[float, Steps]] = []
    for steps, after in successors(state):
        won = after.turn.winners
        scores = [fields(after, seat) + 100 * (seat in won) for seat in range(after.players)]
        turns.append((ahead(scores, turn.seat), steps))
        if time.monotonic() > until:
            break
    return turns


def fields(state: IceCultState, seat: int) -> int:
    """Ice Cult: the fields that a seat's pawns have gone, 6 for one in the goal."""
    goal = 6 * (state.goal >> 4 * seat & 15)
    return goal + sum(gone(path, str(seat)) for path in state.paths)


@lru_cache(1 << 14)
def gone(path: str, colour: str) -> int:
    """The fields that a colour's pawns on a path have gone."""
    return sum(field * stack.count(colour) for field, stack in enumerate(path.split("/"), 1))


def ahead(scores: Sequence[int], seat: int) -> float:
    """A seat's score minus the best other's."""
    return float(scores[seat] - max(s for other, s in enumerate(scores) if other != seat))


GREEDY: dict[str, Callable[[Turn], list[tuple[float, Steps]]]] = {"packeis": packeis_turns}
try:
    from paranoid import whole_turns
    from polynya_games.arktia import ARKTIA
    from polynya_games.icecult import ICECULT, IceCultState, successors
except ImportError:
    print("greedy plays packeis only: the games library is not installed", file=sys.stderr)
else:
    GREEDY |= {"arktia": arktia_turns, "icecult": icecult_turns}


def choose(turn: Turn) -> Steps:
    """One of the turns that are worth most now."""
    turns = GREEDY[turn.game](turn)
    best = max(value for value, _ in turns)
    return dice.choice([steps for value, steps in turns if value == best])


dice = random.Random()
if __name__ == "__main__":
    gc.disable()  # a collection of many remembered positions would take too much of a turn
    dice.seed(parser.parse_args().seed)
    run(choose, name="greedy", games=sorted(GREEDY), wants=["state"])
