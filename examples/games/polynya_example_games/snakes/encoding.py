"""Snakes as numbers, for training bots: the board field by field."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polynya_example_games.snakes.state import FULL_HEALTH, MOVES
from polynya_games.encoding import Encoding, Part, forfeits, marked, one_hot


@functools.lru_cache(16)
def encoding(players: int, size: int, turn_limit: int) -> Encoding:
    """The four directions; for each seat a plane of its body and one of its head.

    Args:
        players: the number of seats.
        size: the fields each way.
        turn_limit: the match ends after this turn.
    """
    fields = size * size
    return Encoding(
        steps=MOVES,
        parts=(
            Part("seat", players, 1, lambda _, seat: one_hot(seat, players)),
            Part("bodies", players * fields, fields + 1, _bodies),
            Part("heads", players * fields, 1, _heads),
            Part("health", players, FULL_HEALTH, _health),
            Part("food", fields, 1, lambda document, _: _marked(document["food"], size)),
            Part("alive", players, 1, _alive),
            Part("turns_left", 1, turn_limit, _turns_left),
            forfeits(players),
        ),
    )


def _marked(fields: Iterable[Sequence[int]], size: int) -> list[int]:
    """A 1 at each field, column by column."""
    return marked([x * size + y for x, y in fields], size * size)


def _bodies(document: Mapping[str, Any], _: int) -> list[int]:
    """Seat by seat the number of turns after which each field of the body is left."""
    size, numbers = document["size"], []
    for snake in document["snakes"]:
        plane = [0] * (size * size)
        for left, (x, y) in enumerate(reversed(snake["body"]), start=1):
            plane[x * size + y] = left
        numbers += plane
    return numbers


def _heads(document: Mapping[str, Any], _: int) -> list[int]:
    size = document["size"]
    return [number for snake in document["snakes"] for number in _marked(snake["body"][:1], size)]


def _health(document: Mapping[str, Any], _: int) -> list[int]:
    return [snake["health"] for snake in document["snakes"]]


def _alive(document: Mapping[str, Any], _: int) -> list[int]:
    return [int(snake["out"] is None) for snake in document["snakes"]]


def _turns_left(document: Mapping[str, Any], _: int) -> list[int]:
    return [document["options"]["turn_limit"] - document["turn"]]
