"""Suspends bots that keep failing, and rests those at fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from polynya_common.reasons import Reason
from polynya_contest.conduct import Conduct, ConductEntry, conduct_of, faults, outcomes
from polynya_server.records import ForfeitRecord, MatchRecord
from polynya_store import Store


class Suspensions:
    """Conduct of each bot, and the suspensions that follow from it.

    Args:
        limit: a bot is suspended when this many matches in a row ended by its fault, or half of its
            last ones did; 0 for never.
        names: those that are suspended already.
        known: the bots' conduct so far.
        recomputed: the last intervention that ``known`` follows; 0 for none.

    Attributes:
        names: those that are suspended now.
        on_change: called with its name when the host has suspended a bot or put one back.
        on_recomputed: called when the host has annulled matches or computed ratings again, with
            the number of that intervention.
        recomputed: see above.
    """

    def __init__(
        self,
        limit: int,
        names: Iterable[str] = (),
        known: Mapping[str, Conduct] = MappingProxyType({}),
        recomputed: int = 0,
    ) -> None:
        self.names = set(names)
        self.recomputed = recomputed
        self.on_change: Callable[[str], None] = lambda _name: None
        self.on_recomputed: Callable[[int], None] = lambda _number: None
        self._limit = limit
        self._conduct = defaultdict(Conduct, known)
        self._in_play: set[str] = set()
        self._recorded: set[str] = set()
        self._judged: list[ConductEntry] | None = None  # None while nothing is read

    @classmethod
    def recorded(cls, limit: int, store: Store) -> Suspensions:
        """Load conduct and suspensions from a database."""
        recomputed = store.interventions.last_recomputed()  # before what follows from it
        return cls(limit, store.bots.roster().suspended, store.ladder.conduct(), recomputed)

    def conduct(self, name: str) -> Conduct:
        """The conduct of a bot."""
        return self._conduct[name]

    def resting(self, now_ms: int) -> dict[str, float]:
        """Resting bots at a time (ms since 1970), each with its remaining seconds."""
        left_s = {name: (c.rests_until_ms - now_ms) / 1000 for name, c in self._conduct.items()}
        return {
            name: min(seconds, self._conduct[name].rest_s)
            for name, seconds in left_s.items()
            if seconds > 0
        }

    @contextmanager
    def in_play(self, match: str) -> Iterator[None]:
        """Mark a match as in play until the context exits, after it was recorded and judged."""
        self._in_play.add(match)
        try:
            yield
        finally:
            self._in_play.discard(match)
            self._recorded.discard(match)

    def begin_reading(self) -> None:
        """Start reading all outcomes for :meth:`replace`; from any thread."""
        self._judged = []

    def replace(self, known: Sequence[ConductEntry], recomputed: int) -> None:
        """Replace all conduct after the host has annulled matches or recomputed ratings.

        Args:
            known: outcomes of the bots' matches so far, in the order in which they ended,
                read since :meth:`begin_reading`.
            recomputed: the number of the last such intervention.
        """
        read = {outcome.match for outcome in known}
        since = [outcome for outcome in self._judged or () if outcome.match not in read]
        self._judged = None
        self._conduct = conduct_of([*known, *since])
        self._recorded = self._in_play & read
        self.recomputed = recomputed
        self.on_recomputed(recomputed)

    def suspended_by(self, record: MatchRecord) -> dict[str, Reason]:
        """Judge a match; the bots that it suspends, each with the reason."""
        of_match = outcomes(record)
        if self._judged is not None:
            self._judged += of_match
        if record.setup.match not in self._recorded:  # else it was read with the others
            for outcome in of_match:
                self._conduct[outcome.bot].note(outcome)
        players = record.setup.players
        found = {players[seat]: forfeit for seat, forfeit in faults(record).items()}
        return {
            name: self._suspend(name, record, forfeit)
            for name, forfeit in found.items()
            if self._exhausted(name)
        }

    def suspend(self, name: str) -> None:
        """Suspend a bot for the host."""
        self.names.add(name)
        self.on_change(name)

    def resume(self, name: str) -> None:
        """Reinstate a bot for the host."""
        self.names.discard(name)
        self._conduct.pop(name, None)
        self.on_change(name)

    def _exhausted(self, name: str) -> bool:
        conduct = self._conduct[name]
        return self._limit > 0 and (conduct.in_a_row >= self._limit or conduct.fails_half)

    def _suspend(self, name: str, record: MatchRecord, last: ForfeitRecord) -> Reason:
        self.names.add(name)
        conduct = self._conduct[name]
        matches = (
            Reason.of("matches_in_a_row", count=conduct.in_a_row)
            if conduct.in_a_row >= self._limit
            else Reason.of(
                "matches_of_late", count=conduct.faults_of_late, all=conduct.matches_of_late
            )
        )
        return Reason.of(
            "suspended_for_faults",
            matches=matches,
            match=record.setup.match,
            forfeit=last.reason,
            why=last.detail,
        )
