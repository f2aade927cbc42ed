"""Indexes a ladder's connected bots, free or busy, proven or not, and updates them one by one.

Free bots are kept in the orders in which pairing examines them. A bot gets its place when it
becomes free, and keeps it while it is free: of two waiting bots, the bot that has waited longer
stays first, however many matches begin. So beginning a match moves its players, and no other bot.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from polynya_tournaments.ladder.pairing_history import PairingHistory


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of a bot that gets matches.

    Attributes:
        places: how many matches it would play at once.
        has_room: whether it would begin one more now.
        in_play: how many it plays here.
        proven: see ``trust.py``.
        at_fault: whether its last match ended by its own fault.
        late: whether it may be busy for long: others do not wait for it.
    """

    places: int
    has_room: bool
    in_play: int
    proven: bool
    at_fault: bool
    late: bool = False


class PresentBots:
    """Sorts connected bots into free and busy, proven and unproven.

    A bot is free if it has room, and fewer matches than its fair share: one, unless it is proven.
    All others are busy. When the share changes, the bots in play are looked at again.

    Args:
        history: what has been played.
        share: gives the fair share.
        free_bots: makes the orders of a group.

    Attributes:
        proven, unproven: the free ones.
        spoiled: unproven bots whose opponents were all at fault, the longest wait first.
        busy: how many are busy and not late, by whether they are proven.
    """

    def __init__(
        self, history: PairingHistory, share: FairShare, free_bots: Callable[[], FreeBots]
    ) -> None:
        self.proven, self.unproven = free_bots(), free_bots()
        self.spoiled = NameOrder()
        self.busy = {True: 0, False: 0}
        self.history = history
        self._share = share
        self._matches_each = share.matches
        self._standings: dict[str, Standing] = {}
        self._playing: set[str] = set()

    def update(self, name: str, standing: Standing | None) -> None:
        """Update a bot's standing; None if it gets no matches, or has disconnected."""
        before = self._standings.get(name)
        if before == standing:
            return
        if before is not None:
            self._take(name)
            del self._standings[name]
            self._share.remove(before.places)
        if standing is not None:
            self._standings[name] = standing
            self._share.add(standing.places)
            self._put(name)
        self._follow_share()

    def begin(self, players: Sequence[str]) -> None:
        """Mark free bots as busy at the start of their match, until ``update``."""
        for name in players:
            self._take(name)
        self.history.add(players)
        for name in players:
            before = self._standings[name]
            self._standings[name] = replace(before, has_room=False, in_play=before.in_play + 1)
            self._put(name)

    def _follow_share(self) -> None:
        """Move bots that a changed share makes free or busy."""
        before, after = self._matches_each, self._share.matches
        if before == after:
            return
        changed = range(min(before, after), max(before, after))
        moving = [name for name in self._playing if self._standings[name].in_play in changed]
        for name in moving:
            self._take(name)
        self._matches_each = after
        for name in moving:
            self._put(name)

    def _put(self, name: str) -> None:
        standing = self._standings[name]
        if standing.in_play:
            self._playing.add(name)
        most = self._matches_each if standing.proven else 1
        if not standing.has_room or standing.in_play >= most:
            self.busy[standing.proven] += not standing.late
        elif standing.proven:
            self.proven.add(name)
        else:
            self.unproven.add(name)
            past = self.history.bot(name)
            if past.games and not standing.at_fault:
                self.spoiled.add(name, (past.free_from, -past.games))

    def _take(self, name: str) -> None:
        self._playing.discard(name)
        if name in self.proven:
            self.proven.remove(name)
        elif name in self.unproven:
            self.unproven.remove(name)
            self.spoiled.discard(name)
        else:
            standing = self._standings[name]
            self.busy[standing.proven] -= not standing.late


class FairShare:
    """Divides the concurrent matches evenly among the connected bots.

    Args:
        slots: how many matches are played at once at the most.
        players: of a match.
    """

    def __init__(self, slots: int, players: int) -> None:
        self._seats = slots * players
        self._places: list[int] = []
        self._total = 0

    @property
    def matches(self) -> int:
        """Concurrent matches that each bot may have.

        Places of a bot that are more than all others have together are of no use: there can be
        one bot of which that is true.
        """
        if not self._places:
            return 1
        of_use = min(self._total, 2 * (self._total - self._places[-1]))
        return max(1, min(self._seats, of_use) // len(self._places))

    def add(self, places: int) -> None:
        """Add a bot that would play this number of matches at once."""
        insort(self._places, places)
        self._total += places

    def remove(self, places: int) -> None:
        """Remove a bot with this number of matches."""
        del self._places[bisect_left(self._places, places)]
        self._total -= places


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
        """Insert a new name."""
        self._keys[name] = key
        insort(self._entries, (key, name))

    def discard(self, name: str) -> None:
        """Remove a name if present."""
        if name in self._keys:
            del self._entries[bisect_left(self._entries, (self._keys.pop(name), name))]

    def at(self, index: int) -> str:
        """The name at a place, from 0."""
        return self._entries[index][1]

    def through(self, index: int) -> int:
        """How many names there are up to the place ``index``, and those level with it.

        Keys are tuples; level are those whose first item is the same.
        """
        return bisect_right(self._entries, self._entries[index][0][0], key=lambda e: e[0][0])

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
        by_turns: those with the fewest matches since they joined the others first.
    """

    def __init__(self, history: PairingHistory, players: int, seat_games: int, seed: int) -> None:
        self.by_wait, self.by_games, self.new = NameOrder(), NameOrder(), NameOrder()
        self.by_turns = NameOrder()
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
        """Longest wait of a free bot, in matches begun meanwhile."""
        return self._history.waited(self.by_wait.at(0)) if self.by_wait else 0

    def add(self, name: str) -> None:
        """Add a free bot and start its wait."""
        self._history.begin_wait(name)
        if self.by_turns:
            self._history.join(name, self._history.turns(self.by_turns.at(0)))
        self._put(name)

    def remove(self, name: str) -> None:
        """Remove a bot that is no longer free."""
        self._take(name)
        self._history.end_wait(name)

    @contextmanager
    def joined_by(self, names: Iterable[str]) -> Iterator[None]:
        """Include waiting bots of other groups until the context exits."""
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
        self.by_turns.add(name, (self._history.turns(name), past.free_from, lot))
        if self._history.fewest_at_a_seat(name, self._players) < self._seat_games:
            self.new.add(name, turn)

    def _take(self, name: str) -> None:
        for order in (self.by_wait, self.by_games, self.new, self.by_turns):
            order.discard(name)

    def _lot(self, name: str, games: int) -> bytes:
        """The random number of a bot after this number of its matches."""
        return hashlib.sha256(f"{self._seed}\n{games}\n{name}".encode()).digest()[:8]
