"""Positions in the middle of Packeis, on any floes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from polynya_games.cells import bitset, cells_of
from polynya_games.packeis import PackeisState
from polynya_games.packeis.board import CELLS, USUAL
from polynya_games.packeis.position import Layout
from polynya_games.packeis.rules import pass_turn


def position_of(
    fish: Sequence[int], penguins: Sequence[Sequence[int]], to_move: int = 0
) -> PackeisState:
    """The position with these fish, 0 where no floe is, and these penguins of each seat.

    Seats that cannot move withdraw until one can.
    """
    boards = tuple(bitset(own) for own in penguins)
    floes = bitset(cell for cell in range(CELLS) if fish[cell])
    players = len(boards)
    nothing = (0,) * players
    state = PackeisState(
        Layout(tuple(fish)),
        floes & ~sum(boards),
        boards,
        nothing,
        (False,) * players,
        (),
        "movement",
        to_move,
        True,
    )
    return pass_turn(state, [(to_move + next_one) % players for next_one in range(players)])


def fish_on(cells: Sequence[int], dice: random.Random) -> list[int]:
    """One to three fish on each of these floes, none elsewhere."""
    return [dice.randint(1, 3) if cell in cells else 0 for cell in range(CELLS)]


def random_position(dice: random.Random, floes: int, counts: Sequence[int]) -> PackeisState:
    """A position on connected floes, with this number of penguins of each seat."""
    cells = {dice.randrange(CELLS)}
    while len(cells) < floes:
        cells.add(dice.choice([*cells_of(USUAL.neighbours[dice.choice(sorted(cells))])]))
    fish = fish_on(sorted(cells), dice)
    standing = dice.sample(sorted(cells), sum(counts))
    penguins = [[standing.pop() for _ in range(count)] for count in counts]
    return position_of(fish, penguins, dice.randrange(len(counts)))


def connected_boards(most: int) -> Iterator[tuple[int, ...]]:
    """Each form of up to ``most`` connected floes once, somewhere on the usual board."""
    seen = set()
    grown = [frozenset({cell}) for cell in range(CELLS)]
    for _ in range(most):
        for cells in sorted(grown, key=sorted):
            form = _form(cells)
            if form not in seen:
                seen.add(form)
                yield tuple(sorted(cells))
        grown = list({cells | {one} for cells in grown for one in _beside(cells)})


def _beside(cells: frozenset[int]) -> set[int]:
    return {one for cell in cells for one in cells_of(USUAL.neighbours[cell])} - cells


def _form(cells: frozenset[int]) -> frozenset[tuple[int, int]]:
    centres = [USUAL.centres[cell] for cell in sorted(cells)]
    top, left = centres[0]
    return frozenset((row - top, x - left) for row, x in centres)
