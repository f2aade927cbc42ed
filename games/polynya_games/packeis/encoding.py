"""Packeis am Pol as numbers, for training bots."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding, Part, chosen, forfeits, listed, marked, seat_parts
from polynya_games.packeis.board import CELLS, Board
from polynya_games.packeis.position import MOST_FISH, PLACES


@functools.lru_cache(16)
def encoding(players: int, board: Board, all_fish: int) -> Encoding:
    """Every placement and every slide along a straight line; the board cell by cell.

    Args:
        players: the number of seats.
        board: the board.
        all_fish: all fish on it at first.
    """
    return Encoding(
        steps=(*PLACES, *sorted(board.ways)),
        parts=(
            *seat_parts(players),
            chosen("phase", ["placement", "movement"]),
            listed("fish", CELLS, MOST_FISH),
            Part("penguins", players * CELLS, 1, _penguins),
            listed("fish_caught", players, all_fish),
            listed("floes_caught", players, CELLS),
            listed("out", players, 1),
            forfeits(players),
        ),
    )


def _penguins(document: Mapping[str, Any], _: int) -> list[int]:
    """Seat by seat a plane of the cells with its penguins."""
    return [number for own in document["penguins"] for number in marked(own, CELLS)]
