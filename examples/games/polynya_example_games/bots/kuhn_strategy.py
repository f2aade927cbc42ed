"""The equilibria of Kuhn poker (H. W. Kuhn, 1950): how often each decision bets or calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

KING, QUEEN, JACK = 3, 2, 1


def chance_of_chip(alpha: float, card: int, bets: Sequence[str]) -> float:
    """The probability of putting a chip in: of a bet, or of a call of a bet.

    Args:
        alpha: 0 to 1/3, which equilibrium of the first player.
        card: its own card, 1 to 3.
        bets: the verbs of the hand so far.
    """
    faces_bet = bets[-1:] == ["bet"]
    if card == KING:
        return 1.0 if faces_bet or bets else 3 * alpha
    if not bets:
        return alpha if card == JACK else 0.0
    if card == QUEEN:
        if not faces_bet:
            return 0.0
        return alpha + 1 / 3 if len(bets) == 2 else 1 / 3
    return 0.0 if faces_bet else 1 / 3


def chosen(alpha: float, seat: int, view: Mapping[str, Any], number: float) -> list[str]:
    """The step in a position of which a seat sees ``view``.

    Args:
        alpha: which equilibrium.
        seat: its own seat.
        view: the view of the state.
        number: a random number, at least 0 and less than 1.
    """
    bets = list(view["bets"])
    puts_in = number < chance_of_chip(alpha, view["cards"][seat], bets)
    if bets[-1:] == ["bet"]:
        return ["call"] if puts_in else ["fold"]
    return ["bet"] if puts_in else ["check"]
