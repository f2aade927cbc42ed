"""Bots that keep failing: when the ladder stops giving them matches, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from polynya_server.records import ForfeitRecord, MatchRecord
from polynya_tournaments.store import Outcome, Store

FAILURES = frozenset({"timeout", "protocol_error", "disconnected"})
"""Forfeits of a bot that does not work; who plays an illegal move or resigns does."""

NO_RESULT = frozenset({"aborted", "annulled"})


class Suspensions:
    """Counts each bot's failures in a row.

    Args:
        limit: a bot that forfeits so many matches in a row by a failure is suspended; 0 for never.
        names: those that are suspended already.
        outcomes: what became of the bots' matches so far, in the order in which they ended.

    Attributes:
        names: those that are suspended now.
    """

    def __init__(
        self, limit: int, names: Iterable[str] = (), outcomes: Iterable[Outcome] = ()
    ) -> None:
        self.names = set(names)
        self._limit = limit
        self._in_a_row: Counter[str] = Counter()
        for outcome in outcomes:
            self._count(outcome.bot, outcome.forfeit in FAILURES, outcome.reason)

    @classmethod
    def recorded(cls, limit: int, store: Store) -> Suspensions:
        """As they stand in a database: the rows of failures go on where they were."""
        return cls(limit, store.roster().suspended, store.ladder_outcomes())

    def suspended_by(self, record: MatchRecord) -> dict[str, str]:
        """The bots that this match has suspended, each with the reason: a sentence.

        A match without a result ends nobody's row, and adds only to that of bots that failed in it.
        """
        forfeits = _failures(record)
        for name in record.setup.players:
            self._count(name, name in forfeits, record.reason)
        exhausted = [n for n in forfeits if 0 < self._limit <= self._in_a_row[n]]
        return {name: self._suspend(name, record, forfeits[name]) for name in exhausted}

    def suspend(self, name: str) -> None:
        """The host gives a bot no matches."""
        self.names.add(name)

    def resume(self, name: str) -> None:
        """The host gives a bot another chance."""
        self.names.discard(name)
        self._in_a_row.pop(name, None)

    def _count(self, name: str, failed: bool, reason: str) -> None:
        if failed:
            self._in_a_row[name] += 1
        elif reason not in NO_RESULT:
            self._in_a_row[name] = 0

    def _suspend(self, name: str, record: MatchRecord, last: ForfeitRecord) -> str:
        self.names.add(name)
        count = self._in_a_row.pop(name)
        matches = "1 match" if count == 1 else f"{count} matches in a row"
        return (
            f"it forfeited {matches} by not working, "
            f"the last, {record.setup.match}, by {last.reason}: {last.detail}"
        )


def _failures(record: MatchRecord) -> dict[str, ForfeitRecord]:
    return {
        record.setup.players[forfeit.seat]: forfeit
        for forfeit in record.forfeits
        if forfeit.reason in FAILURES
    }
