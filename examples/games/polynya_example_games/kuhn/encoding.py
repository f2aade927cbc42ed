"""Kuhn poker as numbers, for training bots: what a seat's view shows of this hand and the score."""

from __future__ import annotations

import functools

from polynya_example_games.kuhn.state import CHOICES, ENDS, PLAYERS
from polynya_games.encoding import Encoding, Part, forfeits, one_hot, remaining

BETS = (*CHOICES, *ENDS)
"""All that can be said in a hand."""


@functools.lru_cache(16)
def encoding(hands: int) -> Encoding:
    """The four verbs; the cards that the seat sees, the bets, and the chips.

    Args:
        hands: the hands of a match.
    """
    shift, cards = 2 * hands, PLAYERS * 3
    return Encoding(
        steps=(("bet",), ("call",), ("check",), ("fold",)),
        parts=(
            Part("seat", PLAYERS, 1, lambda _, seat: one_hot(seat, PLAYERS)),
            Part("first", PLAYERS, 1, lambda document, _: one_hot(document["first"], PLAYERS)),
            Part("cards", cards, 1, lambda document, _: _cards(document["cards"])),
            Part("bets", len(BETS), 1, lambda document, _: _bets(document["bets"])),
            Part(
                "chips",
                PLAYERS,
                2 * shift,
                lambda document, _: [chips + shift for chips in document["chips"]],
            ),
            remaining("hands_left", "hands", "hand", hands),
            forfeits(PLAYERS),
        ),
    )


def _cards(cards: list[int | None]) -> list[int]:
    """Seat by seat which card it has; only zeros for a card that is hidden."""
    return [number for card in cards for number in one_hot(card and card - 1, 3)]


def _bets(bets: list[str]) -> list[int]:
    return one_hot(BETS.index(tuple(bets)), len(BETS))
