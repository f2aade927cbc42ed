"""The past of a bot as pairing needs it: its matches, its seats, and the last bots that it met."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

REMEMBERED_OPPONENTS = 32
"""Number of last opponents remembered for each bot, to bound memory."""


class BotPast:
    """The matches of one bot.

    Attributes:
        name: its name.
        games: its matches.
        last_match: the number of its last one, from 1; 0 for none.
        seats: how often it was at each seat; seats behind the end: never.
        met: its last opponents, the latest last, with the number of its matches when they met.
        free_from: while it is free, the number of matches that were begun when it became so, less
            those that it had waited for before; None while it is not free.
        kept_wait: while it is not free, how many matches it has waited for.
    """

    __slots__ = ("free_from", "games", "kept_wait", "last_match", "met", "name", "seats")

    def __init__(self, name: str) -> None:
        self.name = name
        self.games = 0
        self.last_match = 0
        self.seats: list[int] = []
        self.met: dict[str, int] = {}
        self.free_from: int | None = None
        self.kept_wait = 0

    def at_seat(self, seat: int) -> int:
        """How often it was at a seat."""
        return self.seats[seat] if seat < len(self.seats) else 0

    def note(self, players: Sequence[BotPast], seat: int, number: int) -> None:
        """Count the start of a match by its number and the bot's seat."""
        self.games += 1
        self.last_match = number
        self.seats.extend([0] * (seat + 1 - len(self.seats)))
        self.seats[seat] += 1
        met = self.met
        for other in itertools.chain(players[:seat], players[seat + 1 :]):
            met.pop(other.name, None)
            met[other.name] = self.games
            if len(met) > REMEMBERED_OPPONENTS:
                del met[next(iter(met))]
