"""Conduct of bots: the faults that they answer for, and how often these came in a row.

A match ends for a bot by its own *fault* if it forfeits by not being ready, by losing its
connection, by the clock, by an illegal move, or by bytes that are no message of the protocol, or
if it resigns before its own third turn. The name alone counts: connecting again, another version or
another process of the same bot change nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord


@dataclass(slots=True)
class Streak:
    """Counts consecutive occurrences.

    Attributes:
        length: how many there were since the last miss.
    """

    length: int = 0

    def note(self, *, happened: bool) -> int:
        """Count an occurrence, or reset on a miss; the new length."""
        self.length = self.length + 1 if happened else 0
        return self.length


class Streaks:
    """A streak for each key, such as a bot's name; an unknown key has length 0."""

    def __init__(self) -> None:
        self._streaks: defaultdict[Hashable, Streak] = defaultdict(Streak)

    def note(self, key: Hashable, *, happened: bool) -> int:
        """Count an occurrence or a miss for a key; the new length of its streak."""
        if not happened:
            self._streaks.pop(key, None)
            return 0
        return self._streaks[key].note(happened=True)

    def length(self, key: Hashable) -> int:
        """The length of the streak of a key."""
        return self._streaks[key].length if key in self._streaks else 0


FAULTS = frozenset({"not_ready", "disconnected", "timeout", "protocol_error", "illegal_move"})
"""Forfeits that are a fault in any case; resigning is one if it comes early."""

THIRD_TURN = 3
WINDOW, LEAST_MATCHES = 20, 8
"""Half of the last 20 matches may not end by a fault; this is checked from 8 matches on."""

FIRST_REST_S, LONGEST_REST_S = 2.0, 600.0


def faults(record: MatchRecord) -> dict[int, ForfeitRecord]:
    """The faults of bots in a match, by seat; empty where the server was at fault."""
    if record.server_fault:
        return {}
    return {f.seat: f for f in record.forfeits if f.reason in FAULTS or _is_early(f, record)}


def _is_early(forfeit: ForfeitRecord, record: MatchRecord) -> bool:
    """Whether a bot resigned before its third turn."""
    if forfeit.reason != "resigned":
        return False
    asked = 1 if forfeit.limit_ms is not None else 0
    for event in record.events:
        asked += isinstance(event, TurnRecord) and event.seat == forfeit.seat
    return asked < THIRD_TURN


@dataclass(frozen=True, slots=True)
class ConductEntry:
    """The end of a ladder match for one of its bots.

    Attributes:
        bot: its name.
        fault: whether it ended by a fault of the bot's own.
        result: whether the match has a result.
        finished: whether it was played to its end, and the bot was there to the end.
        ended_ms: when it ended, ms since 1970.
        match: its id.
        annulled: whether the host has annulled it: then it counts for nothing.
    """

    bot: str
    fault: bool
    result: bool
    finished: bool
    ended_ms: int
    match: str
    annulled: bool = False


@dataclass(slots=True)
class Conduct:
    """Faults of one bot since its host last reinstated it.

    Attributes:
        in_a_row: how many of its last matches ended by its fault, without another between them.
        rest_s: how long it rests after its last fault, less by half for each match since that it
            has played to its end; 0 for not at all.
        rests_until_ms: until when that is, ms since 1970.
        proven: whether it has played a match to its end, and its last one did not end by its fault.
    """

    rest_s: float = 0.0
    rests_until_ms: float = 0.0
    _finished: bool = False
    _faults: Streak = field(default_factory=Streak)
    _last: tuple[bool, ...] = ()  # an empty deque is fifteen times as large

    @property
    def in_a_row(self) -> int:
        """See above."""
        return self._faults.length

    @property
    def proven(self) -> bool:
        """See above."""
        return self._finished and self.in_a_row == 0

    @property
    def faults_of_late(self) -> int:
        """How many of its last matches ended by its fault."""
        return sum(self._last)

    @property
    def matches_of_late(self) -> int:
        """How many matches these are: ``WINDOW`` at most."""
        return len(self._last)

    @property
    def fails_half(self) -> bool:
        """Whether half of its last matches ended by its fault, and there were enough of them."""
        return self.matches_of_late >= LEAST_MATCHES and 2 * self.faults_of_late >= len(self._last)

    def note(self, outcome: ConductEntry) -> None:
        """Count an ended match; one without a result counts only against the bot at fault."""
        if outcome.fault:
            self._last = (*self._last, True)[-WINDOW:]
            self._faults.note(happened=True)
            self.rest_s = min(LONGEST_REST_S, max(FIRST_REST_S, 2 * self.rest_s))
            self.rests_until_ms = outcome.ended_ms + 1000 * self.rest_s
        elif outcome.result:
            self._last = (*self._last, False)[-WINDOW:]
            self._faults.note(happened=False)
        if outcome.finished:
            self._finished = True
            self.rest_s = self.rest_s / 2 if self.rest_s >= FIRST_REST_S else 0.0

    def as_text(self) -> str:
        """JSON text that :meth:`of_text` reads."""
        last = [int(fault) for fault in self._last]
        return json.dumps(
            [self.rest_s, self.rests_until_ms, self._finished, self.in_a_row, last],
            separators=(",", ":"),
        )

    @classmethod
    def of_text(cls, text: str) -> Conduct:
        """The conduct that was written by :meth:`as_text`."""
        rest_s, rests_until_ms, finished, in_a_row, last = json.loads(text)
        return cls(rest_s, rests_until_ms, finished, Streak(in_a_row), tuple(map(bool, last)))


def conduct_of(known: Iterable[ConductEntry]) -> defaultdict[str, Conduct]:
    """The conduct of each bot by name, from its matches in the order in which they ended."""
    conduct: defaultdict[str, Conduct] = defaultdict(Conduct)
    for outcome in known:
        if not outcome.annulled:
            conduct[outcome.bot].note(outcome)
    return conduct


def outcomes(record: MatchRecord) -> list[ConductEntry]:
    """The end of a match for each of its bots, by seat."""
    at_fault = faults(record)
    gone = {forfeit.seat for forfeit in record.forfeits}
    return [
        ConductEntry(
            bot=name,
            fault=seat in at_fault,
            result=record.ranking is not None,
            finished=record.reason == "finished" and seat not in gone,
            ended_ms=record.finished_ms,
            match=record.setup.match,
        )
        for seat, name in enumerate(record.setup.players)
    ]
