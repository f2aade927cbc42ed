"""What has been played on a ladder, as far as pairing looks at it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence


class PairingHistory:
    """Counts of the matches that were begun: a bot that never gets ready has had its turn, too.

    Attributes:
        matches: all of them.
        games: by bot.
        seats: by bot and seat.
        meetings: by pair of bots.
        last_match: the number of each bot's last one, from 1.
        waited: how many matches have been begun without a bot that was free, since its last one.
    """

    def __init__(self) -> None:
        self.matches = 0
        self.games: Counter[str] = Counter()
        self.seats: Counter[tuple[str, int]] = Counter()
        self.meetings: Counter[frozenset[str]] = Counter()
        self.last_match: dict[str, int] = {}
        self.waited: Counter[str] = Counter()
        self._last_players: dict[str, frozenset[str]] = {}
        self._games_at_meeting: dict[tuple[str, str], int] = {}

    def add(self, players: Sequence[str], free: Iterable[str] = ()) -> None:
        """A match has begun, with these bots by seat, chosen from those that were free."""
        self.matches += 1
        self.games.update(players)
        self.seats.update((name, seat) for seat, name in enumerate(players))
        self.meetings.update(frozenset(pair) for pair in itertools.combinations(players, 2))
        self.waited.update(set(free).difference(players))
        for name in players:
            self.last_match[name] = self.matches
            self._last_players[name] = frozenset(players)
            self.waited[name] = 0
        for one, other in itertools.permutations(players, 2):
            self._games_at_meeting[one, other] = self.games[one]

    def has_just_met(self, players: Iterable[str]) -> bool:
        """Whether the last match of each of these bots was the one of just these bots."""
        group = frozenset(players)
        return all(self._last_players.get(name) == group for name in group)

    def games_since(self, one: str, other: str) -> int | None:
        """How many matches either of two has played since they met; None if they never did."""
        if (one, other) not in self._games_at_meeting:
            return None
        return min(
            self.games[one] - self._games_at_meeting[one, other],
            self.games[other] - self._games_at_meeting[other, one],
        )

    def fewest_at_a_seat(self, name: str, seats: int) -> int:
        """How often a bot has been at the seat that it has been at least often."""
        return min(self.seats[name, seat] for seat in range(seats))
