"""The free bots of a ladder in the orders in which pairing looks at them, kept as they change.

A bot gets its place when it becomes free, and keeps it until it is free no more: of two that wait,
the bot that has waited longer stays so, however many matches begin. So beginning a match moves its
players, and no other bot.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from polynya_tournaments.ladder.pairing_history import PairingHistory


class NameOrder:
    """Names in the order of their keys: a sorted list, which is searched by bisection."""

    def __init__(self) -> None:
        self._entries: list[tuple[Any, str]] = []
        self._keys: dict[str, Any] = {}

    def __len__(self) -> int:
        """How many names there are."""
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        """Whether a name is among them."""
        return name in self._keys

    def add(self, name: str, key: Any) -> None:
        """Put a name, which is not among them, in its place."""
        self._keys[name] = key
        insort(self._entries, (key, name))

    def discard(self, name: str) -> None:
        """Take a name out, if it is among them."""
        if name in self._keys:
            del self._entries[bisect_left(self._entries, (self._keys.pop(name), name))]

    def at(self, index: int) -> str:
        """The name at a place, from 0."""
        return self._entries[index][1]

    def first(self, count: int | None = None) -> list[str]:
        """The names at the first places, at all without ``count``."""
        return [name for _, name in self._entries[:count]]


class FreeBots:
    """Bots that could play each other now.

    Args:
        history: what they have played, and how long they have waited.
        players: of a match.
        seat_games: a bot is new until it has played this number of matches at each seat.
        seed: decides what is equal otherwise.

    Attributes:
        by_wait: those that have waited longest first.
        by_games: those with the fewest matches first, then by the time of their last one.
        new: the same of those that are new.
    """

    def __init__(self, history: PairingHistory, players: int, seat_games: int, seed: int) -> None:
        self.by_wait, self.by_games, self.new = NameOrder(), NameOrder(), NameOrder()
        self._history = history
        self._players = players
        self._seat_games = seat_games
        self._seed = seed

    def __len__(self) -> int:
        """How many there are."""
        return len(self.by_wait)

    def __contains__(self, name: object) -> bool:
        """Whether a bot is among them."""
        return name in self.by_wait

    @property
    def longest_wait(self) -> int:
        """How many matches were begun while the bot that has waited longest was free."""
        return self._history.waited(self.by_wait.at(0)) if self.by_wait else 0

    def add(self, name: str) -> None:
        """A bot becomes free, and begins to wait."""
        self._history.begin_wait(name)
        self._put(name)

    def remove(self, name: str) -> None:
        """It is free no more."""
        self._take(name)
        self._history.end_wait(name)

    @contextmanager
    def joined_by(self, names: Iterable[str]) -> Iterator[None]:
        """Count some bots that wait elsewhere among them for the moment."""
        for name in names:
            self._put(name)
        try:
            yield
        finally:
            for name in names:
                self._take(name)

    def _put(self, name: str) -> None:
        past = self._history.bot(name)
        lot = self._lot(name, past.games)
        turn = (past.games, past.last_match, lot)
        self.by_wait.add(name, (past.free_from, lot))
        self.by_games.add(name, turn)
        if self._history.fewest_at_a_seat(name, self._players) < self._seat_games:
            self.new.add(name, turn)

    def _take(self, name: str) -> None:
        for order in (self.by_wait, self.by_games, self.new):
            order.discard(name)

    def _lot(self, name: str, games: int) -> bytes:
        """The random number of a bot after this number of its matches."""
        return hashlib.sha256(f"{self._seed}\n{games}\n{name}".encode()).digest()[:8]
