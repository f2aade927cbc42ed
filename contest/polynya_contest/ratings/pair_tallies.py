"""Results counted by pair of bots, and the estimates from them that order a ladder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairTally:
    """The results of two bots against each other, at two seats.

    Attributes:
        bot, opponent: their names.
        earlier, opponent_earlier: whether these are results of earlier versions of the bot.
        seat, other_seat: of the two, from 0.
        wins, ties, losses: of ``bot``: how often it was ranked before, beside and behind the other.
    """

    bot: str
    opponent: str
    earlier: bool
    opponent_earlier: bool
    seat: int
    other_seat: int
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class LadderEstimate:
    """A bot's strength from all recent results of a ladder, in Elo, with its 95 % interval."""

    value: float
    low: float
    high: float
