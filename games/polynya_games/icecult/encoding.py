"""Ice Cult as numbers, for training bots."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import (
    Encoding,
    Part,
    chosen,
    forfeits,
    listed,
    marked,
    one_hot,
    remaining,
    seat_parts,
)
from polynya_games.game import Step
from polynya_games.icecult.board import ARC, COLOURS, FACINGS, FIELDS, PATHS, PAWNS
from polynya_games.icecult.position import END, ENTRIES, FIRST_TIPS, ROTATIONS

TALLEST = COLOURS * PAWNS
"""The most pawns that can stand in one stack."""

BLOCKS = 4
MOST_USES = 4
_ADVANCES: tuple[Step, ...] = tuple(
    [
        ("advance", position, field, index)
        for position in range(BLOCKS)
        for field in range(1, FIELDS + 1)
        for index in range(TALLEST)
    ]
)


@functools.lru_cache(16)
def encoding(players: int, turn_limit: int) -> Encoding:
    """Every step, a pawn's place in the tallest stack included; faces and pawns as single bits."""
    return Encoding(
        steps=tuple(sorted([END, *FIRST_TIPS, *ROTATIONS, *ENTRIES, *_ADVANCES])),
        parts=(
            *seat_parts(players),
            chosen("phase", ["tip", "act"]),
            # the turns that may still begin after this one
            remaining("turns_left", "turn_limit", "turn", turn_limit),
            Part("faces", BLOCKS * 6 * (ARC + 1 + len(FACINGS)), 1, _faces),
            Part("pawns", len(PATHS) * FIELDS * TALLEST * COLOURS, 1, _pawns),
            listed("start", COLOURS, PAWNS),
            listed("goal", COLOURS, PAWNS),
            Part("tips", 2 * len(FIRST_TIPS), 1, _tips),
            listed("uses", BLOCKS, MOST_USES),
            listed("arcs_left", 1, BLOCKS),
            forfeits(players),
        ),
    )


def _faces(document: Mapping[str, Any], _: int) -> list[int]:
    """By position and face: which of six symbols it shows, and which of six ways it points."""
    numbers: list[int] = []
    for block in document["blocks"]:
        for symbol, direction in block:
            numbers += one_hot(symbol, ARC + 1)
            numbers += one_hot(None if direction is None else FACINGS.index(direction), 6)
    return numbers


def _pawns(document: Mapping[str, Any], _: int) -> list[int]:
    """By path, field and place in the stack from the bottom: which of four colours stands there."""
    numbers: list[int] = []
    for path in PATHS:
        for stack in document["paths"][path]:
            places = [COLOURS * place + colour for place, colour in enumerate(stack)]
            numbers += marked(places, COLOURS * TALLEST)
    return numbers


def _tips(document: Mapping[str, Any], _: int) -> list[int]:
    """For the first and the second tip of this turn: which of eight it was, if it has been made."""
    made = [FIRST_TIPS.index(("tip", *tip)) for tip in document["tips"]]
    return marked([len(FIRST_TIPS) * place + tip for place, tip in enumerate(made)], 16)
