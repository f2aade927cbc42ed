"""Goofspiel as numbers, for training bots: the prizes, the hands and the points."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding, Part, forfeits, listed, marked, one_hot


@functools.lru_cache(16)
def encoding(players: int, cards: int) -> Encoding:
    """A bid for each card; which prizes were turned up, and which cards are held.

    Args:
        players: the number of seats.
        cards: the number of cards of each seat, and of prizes.
    """
    return Encoding(
        steps=tuple(("bid", card) for card in range(1, cards + 1)),
        parts=(
            Part("seat", players, 1, lambda _, seat: one_hot(seat, players)),
            Part("prize", cards, 1, lambda document, _: one_hot(document["prize"] - 1, cards)),
            Part("played", cards, 1, _played),
            Part("hands", players * cards, 1, _hands),
            listed("points", players, cards * (cards + 1) // 2),
            forfeits(players),
        ),
    )


def _played(document: Mapping[str, Any], _: int) -> list[int]:
    """The prizes of the rounds that are over."""
    return marked([each["prize"] - 1 for each in document["rounds"]], document["cards"])


def _hands(document: Mapping[str, Any], _: int) -> list[int]:
    """Seat by seat the cards that it holds."""
    cards = document["cards"]
    return [number for hand in document["hands"] for number in marked([c - 1 for c in hand], cards)]
