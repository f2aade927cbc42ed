"""Bots that keep failing: when the ladder stops giving them matches, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from polynya_server.records import ForfeitRecord, MatchRecord
from polynya_tournaments.conduct import Conduct, ConductEntry, faults, outcomes
from polynya_tournaments.store import Store


class Suspensions:
    """How each bot behaves, and which bots are suspended because of it.

    Args:
        limit: a bot is suspended when this many matches in a row ended by its fault, or half of its
            last ones did; 0 for never.
        names: those that are suspended already.
        known: what became of the bots' matches so far, in the order in which they ended.

    Attributes:
        names: those that are suspended now.
        on_change: called with its name when the host has suspended a bot or put one back.
    """

    def __init__(
        self, limit: int, names: Iterable[str] = (), known: Iterable[ConductEntry] = ()
    ) -> None:
        self.names = set(names)
        self.on_change: Callable[[str], None] = lambda _name: None
        self._limit = limit
        self._conduct: defaultdict[str, Conduct] = defaultdict(Conduct)
        for outcome in known:
            self._conduct[outcome.bot].note(outcome)

    @classmethod
    def recorded(cls, limit: int, store: Store) -> Suspensions:
        """As they stand in a database: all counts go on where they were."""
        return cls(limit, store.bots.roster().suspended, store.ladder.outcomes())

    def conduct(self, name: str) -> Conduct:
        """How a bot has behaved so far."""
        return self._conduct[name]

    def resting(self, now_ms: int) -> dict[str, float]:
        """The bots that rest at a time, in ms since 1970, and for how many seconds more."""
        left_s = {name: (c.rests_until_ms - now_ms) / 1000 for name, c in self._conduct.items()}
        return {
            name: min(seconds, self._conduct[name].rest_s)
            for name, seconds in left_s.items()
            if seconds > 0
        }

    def suspended_by(self, record: MatchRecord) -> dict[str, str]:
        """The bots that this match has suspended, each with the reason: a sentence."""
        for outcome in outcomes(record):
            self._conduct[outcome.bot].note(outcome)
        players = record.setup.players
        found = {players[seat]: forfeit for seat, forfeit in faults(record).items()}
        return {
            name: self._suspend(name, record, forfeit)
            for name, forfeit in found.items()
            if self._exhausted(name)
        }

    def suspend(self, name: str) -> None:
        """The host gives a bot no matches."""
        self.names.add(name)
        self.on_change(name)

    def resume(self, name: str) -> None:
        """The host gives a bot another chance."""
        self.names.discard(name)
        self._conduct.pop(name, None)
        self.on_change(name)

    def _exhausted(self, name: str) -> bool:
        conduct = self._conduct[name]
        return self._limit > 0 and (conduct.in_a_row >= self._limit or conduct.fails_half)

    def _suspend(self, name: str, record: MatchRecord, last: ForfeitRecord) -> str:
        self.names.add(name)
        conduct = self._conduct[name]
        in_a_row = "1 match" if conduct.in_a_row == 1 else f"{conduct.in_a_row} matches in a row"
        matches = (
            in_a_row
            if conduct.in_a_row >= self._limit
            else f"{conduct.faults_of_late} of its last {conduct.matches_of_late} matches"
        )
        return (
            f"{matches} ended by its own fault, "
            f"the last, {record.setup.match}, by {last.reason}: {last.detail}"
        )
