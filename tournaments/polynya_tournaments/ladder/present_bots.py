"""The bots that are there on a ladder, free or busy, proven or not: kept as each one changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from polynya_tournaments.ladder.fair_share import FairShare
from polynya_tournaments.ladder.free_bots import FreeBots, NameOrder
from polynya_tournaments.ladder.pairing_history import PairingHistory


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with a bot that gets matches.

    Attributes:
        places: how many matches it would play at once.
        has_room: whether it would begin one more now.
        in_play: how many it plays here.
        proven: see ``trust.py``.
        at_fault: whether its last match ended by its own fault.
    """

    places: int
    has_room: bool
    in_play: int
    proven: bool
    at_fault: bool


class PresentBots:
    """Where each of the bots stands: a bot changes its place alone, independently of the others.

    A bot is free if it has room, and fewer matches than its fair share: one, unless it is proven.
    All others are busy. When the share changes, the bots in play are looked at again.

    Args:
        history: what has been played.
        share: gives the fair share.
        free_bots: makes the orders of a group.

    Attributes:
        proven, unproven: the free ones.
        spoiled: those of the unproven that have only met bots at fault, the longest wait first.
        busy: how many are busy, by whether they are proven.
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
        """Note how it stands with a bot; None if it gets no matches, or has gone."""
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
        """A match of free bots begins; they are busy until ``update`` says more."""
        for name in players:
            self._take(name)
        self.history.add(players)
        for name in players:
            before = self._standings[name]
            self._standings[name] = replace(before, has_room=False, in_play=before.in_play + 1)
            self._put(name)

    def _follow_share(self) -> None:
        """Where the share has changed, move the bots that this makes free or busy."""
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
            self.busy[standing.proven] += 1
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
            self.busy[self._standings[name].proven] -= 1
