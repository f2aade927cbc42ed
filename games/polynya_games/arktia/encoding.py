"""Arktia as numbers, for training bots."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from polynya_games.arktia.board import KINDS
from polynya_games.arktia.position import MUGLUS, RulesConfig
from polynya_games.encoding import Encoding, Part, chosen, forfeits, listed, remaining, seat_parts
from polynya_games.game import Step

TALLEST = 3


@functools.lru_cache(16)
def encoding(rules: RulesConfig) -> Encoding:
    """Every step on the match's board; the muglus as planes, which tell the stacks.

    A stack has at most one muglu of each kind, and the kinds decide their order, so a plane for
    each colour and kind says everything.
    """
    players, cells, colours = rules.players, rules.board.cells, len(rules.colours)
    most_points = 2 * cells
    return Encoding(
        steps=tuple(sorted(_steps(rules))),
        parts=(
            *seat_parts(players),
            chosen("phase", ["neutral", "opening", "main"]),
            chosen("owes", ["keep", "melt"]),
            # the rounds that may still begin after this one, before the main phase all of them
            remaining("rounds_left", "round_limit", "round", rules.round_limit),
            listed("ice", cells, 1),
            _muglus(colours, cells),
            listed("reserve", players * len(KINDS), 3),
            listed("neutral_reserve", players * len(KINDS), 1),
            listed("taken", players, colours * MUGLUS),
            listed("melted", players, cells),
            listed("points", players, most_points),
            listed("out", players, 1),
            forfeits(players),
        ),
    )


def _steps(rules: RulesConfig) -> Iterator[Step]:
    board = rules.board
    for places in board.places.values():
        for step in places.values():
            yield step
            if rules.neutrals:
                yield ("neutral", *step[1:])
    for moves in board.moves:
        for goals in moves[1 : TALLEST + 1]:
            yield from goals.values()
    for cell in range(board.cells):
        yield ("melt", cell)
        yield from (("keep", colour, cell) for colour in rules.colours)
    yield ("retire",)


def _muglus(colours: int, cells: int) -> Part:
    """A plane of the cells for each colour (the neutral one last), and in it for each kind."""

    def read(document: Mapping[str, Any], _: int) -> list[int]:
        numbers = [0] * (colours * len(KINDS) * cells)
        for cell, stack in enumerate(document["stacks"]):
            for colour, kind in stack:
                numbers[(colour * len(KINDS) + KINDS.index(kind)) * cells + cell] = 1
        return numbers

    return Part("muglus", colours * len(KINDS) * cells, 1, read)
