"""The matches of a ladder, as far as pairing looks at them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

REMEMBERED_OPPONENTS = 32
"""Of the opponents of a bot, the last ones are remembered: it bounds the memory of a ladder."""


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
        """It begins the match of this number, in this seat."""
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


class PairingHistory:
    """Counts of the matches that were begun: a bot that never gets ready has had its turn, too.

    A bot waits while it is free: from ``begin_wait`` to ``end_wait``, and on from there the next
    time. Its wait is counted in matches that are begun without it, and ends when it begins one.

    Args:
        played: the matches before, by seat. Waits are not recorded: they begin at zero.

    Attributes:
        matches: the number of all of them.
    """

    def __init__(self, played: Iterable[Sequence[str]] = ()) -> None:
        self.matches = 0
        self._bots: dict[str, BotPast] = {}
        for players in played:
            self.add(players)

    def bot(self, name: str) -> BotPast:
        """The matches of a bot."""
        found = self._bots.get(name)
        if found is None:
            found = self._bots[name] = BotPast(name)
        return found

    def add(self, players: Sequence[str]) -> None:
        """A match has begun, with these bots by seat, none of which is waiting."""
        self.matches += 1
        pasts = [self.bot(name) for name in players]
        for seat, past in enumerate(pasts):
            past.note(pasts, seat, self.matches)
            past.kept_wait = 0

    def begin_wait(self, name: str) -> None:
        """The bot is free from now on."""
        past = self.bot(name)
        past.free_from = self.matches - past.kept_wait

    def end_wait(self, name: str) -> None:
        """It is not free any more."""
        past = self.bot(name)
        past.kept_wait, past.free_from = self.waited(name), None

    def waited(self, name: str) -> int:
        """How many matches have been begun without a bot that was free, since its last one."""
        past = self.bot(name)
        return past.kept_wait if past.free_from is None else self.matches - past.free_from

    def has_just_met(self, players: Iterable[str]) -> bool:
        """Whether the last match of each of these bots, the players of one, was the same one."""
        [number, *others] = {self.bot(name).last_match for name in players}
        return number > 0 and not others

    def fewest_at_a_seat(self, name: str, seats: int) -> int:
        """How often a bot has been at the seat that it has been at least often."""
        found = self.bot(name).seats
        return min(found) if len(found) == seats else 0


def games_since(one: BotPast, other: BotPast) -> int | None:
    """How many matches either of two has played since they met; None if they are not known to."""
    met, met_other = one.met.get(other.name), other.met.get(one.name)
    if met is None:
        return None if met_other is None else other.games - met_other
    since = one.games - met
    return since if met_other is None else min(since, other.games - met_other)
