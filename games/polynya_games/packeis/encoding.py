"""Packeis am Pol as numbers, for those who train bots."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding, Part, chosen, forfeits, listed, marked, seat_parts
from polynya_games.packeis.board import CELLS
from polynya_games.packeis.moves import PLACES, WAYS

MOST_FISH = 30 + 2 * 20 + 3 * 10


@functools.cache
def encoding(players: int) -> Encoding:
    """Every placement and every slide along a straight line; the board cell by cell."""
    return Encoding(
        steps=(*PLACES, *sorted(WAYS)),
        parts=(
            *seat_parts(players),
            chosen("phase", ["placement", "movement"]),
            listed("fish", CELLS, 3),
            Part("penguins", players * CELLS, 1, _penguins),
            listed("fish_caught", players, MOST_FISH),
            listed("floes_caught", players, CELLS),
            listed("out", players, 1),
            forfeits(players),
        ),
    )


def _penguins(document: Mapping[str, Any], _: int) -> list[int]:
    """Seat by seat a plane of the cells with its penguins."""
    return [number for own in document["penguins"] for number in marked(own, CELLS)]
