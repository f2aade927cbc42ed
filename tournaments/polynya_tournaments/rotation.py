"""Who plays next on a ladder: a fair rotation, as a pure function of what has been played."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence


class History:
    """What has been played on a ladder, as far as pairing looks at it.

    All counts are of matches that were begun: a bot that never gets ready has had its turn, too.
    """

    def __init__(self) -> None:
        self.matches = 0
        self.games: Counter[str] = Counter()
        self.seats: Counter[tuple[str, int]] = Counter()
        self.meetings: Counter[frozenset[str]] = Counter()
        self.last_match: dict[str, int] = {}
        self.last_players: dict[str, frozenset[str]] = {}

    def add(self, players: Sequence[str]) -> None:
        """A match has begun, with these bots by seat."""
        self.matches += 1
        self.games.update(players)
        self.seats.update((name, seat) for seat, name in enumerate(players))
        self.meetings.update(frozenset(pair) for pair in itertools.combinations(players, 2))
        for name in players:
            self.last_match[name] = self.matches
            self.last_players[name] = frozenset(players)

    def has_just_met(self, players: Iterable[str]) -> bool:
        """Whether the last match of each of these bots was the one of just these bots."""
        group = frozenset(players)
        return all(self.last_players.get(name) == group for name in group)


def next_match(
    free: Iterable[str], others: int, players: int, history: History, seed: int
) -> tuple[str, ...] | None:
    """The bots of the next match by seat, None if there is to be none yet.

    The bot with the fewest games begins, then the one that has waited longest. Its opponents are
    those with the fewest games, too, and of these the ones it has met least often. Seats go to
    those who had them least often. What is then still equal is decided by the seed.

    Bots that have just played each other wait for another one to become free, if there is one.

    Args:
        free: the names of the bots that could play now.
        others: how many more bots will be free, but are in a match now.
        players: the number of players of a match.
        history: what has been played.
        seed: of the ladder.
    """
    left = sorted(free)
    if len(left) < players:
        return None

    def order(name: str) -> tuple[int, int, bytes]:
        lot = hashlib.sha256(f"{seed}\n{history.matches}\n{name}".encode()).digest()
        return history.games[name], history.last_match.get(name, 0), lot

    def fit(name: str) -> tuple[bool, int, int, tuple[int, int, bytes]]:
        rematch = history.has_just_met([*group, name])
        met = sum(history.meetings[frozenset((name, other))] for other in group)
        return rematch, history.games[name], met, order(name)

    group: list[str] = []
    while len(group) < players:
        group.append(min((name for name in left if name not in group), key=fit))
    if others and history.has_just_met(group):
        return None
    return _seated(group, history)


def _seated(group: Sequence[str], history: History) -> tuple[str, ...]:
    """The order of the bots in which each has been at its seat least often."""
    return min(
        itertools.permutations(group),
        key=lambda order: sum(history.seats[name, seat] ** 2 for seat, name in enumerate(order)),
    )
