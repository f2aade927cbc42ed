"""Counters of a running server: plain integers, incremented where the event happens.

A turn costs two walks along a short list; names, labels and text are built when they are read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from polynya_protocol.messages import RatingChange
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord
from polynya_server.timing.monotonic_clock import NS_PER_MS, NS_PER_US, NowNs

TURN_BOUNDS_US = tuple(
    step * scale
    for scale in (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    for step in (1, 3)
)
DELAY_BOUNDS_US = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
JOURNAL_BOUNDS_MS = (1, 3, 10, 30, 100, 300, 1_000, 10_000)


class Histogram:
    """Counts values by size.

    Attributes:
        bounds: the upper bound of each bucket; a last bucket takes all larger values.
        counts: by bucket.
        total: the sum of all values.
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[int]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0

    def observe(self, value: int) -> None:
        """Count one more value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class ServerMetrics:
    """The metrics of one server since its start.

    Attributes:
        answers: us from the last byte of a turn's message to that of its answer, of all turns.
        handling: us from an answer's last byte to that of the next turn's message.
        loop_delays: us by which the event loop was late, measured every 10 ms during matches.
        journal_waits: ms that results waited until they were recorded.
        recording: number of results that wait now.
        forfeits: number of forfeits, by reason.
        matches: number of ended matches, by reason.
        accepted, rejected: connections accepted, and rejected because of a limit.
    """

    def __init__(self, now: NowNs) -> None:
        self.answers = Histogram(TURN_BOUNDS_US)
        self.handling = Histogram(TURN_BOUNDS_US)
        self.loop_delays = Histogram(DELAY_BOUNDS_US)
        self.journal_waits = Histogram(JOURNAL_BOUNDS_MS)
        self.forfeits: Counter[str] = Counter()
        self.matches: Counter[str] = Counter()
        self.accepted = 0
        self.rejected = 0
        self._now = now
        self._recording: dict[int, int] = {}

    @property
    def recording(self) -> int:
        """How many results wait to be recorded."""
        return len(self._recording)

    @property
    def longest_recording_ms(self) -> int:
        """The longest wait, in ms, among the results that wait to be recorded."""
        began_ns = min(self._recording.values(), default=None)
        return 0 if began_ns is None else (self._now() - began_ns) // NS_PER_MS

    def observe_loop_delay(self, delay_ns: int) -> None:
        """Count a delay of the event loop."""
        self.loop_delays.observe(delay_ns // NS_PER_US)

    @contextmanager
    def record(self, reason: str) -> Iterator[None]:
        """Count a match that has ended; time its recording, which happens inside the context."""
        began_ns = self._now()
        key = self.matches.total()
        self.matches[reason] += 1
        self._recording[key] = began_ns
        try:
            yield
        finally:
            del self._recording[key]
            self.journal_waits.observe((self._now() - began_ns) // NS_PER_MS)


class MatchMetrics:
    """Counts the turns and forfeits of one match among the server's."""

    __slots__ = ("_answers", "_forfeits", "_handling", "_last_turn", "_last_us")

    def __init__(self, metrics: ServerMetrics) -> None:
        self._answers = metrics.answers
        self._handling = metrics.handling
        self._forfeits = metrics.forfeits
        self._last_us: int | None = None
        self._last_turn = 0

    def moved(self, turn: TurnRecord, within: object = None) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.match.seat.Listener`.

        A joint turn is handled when its last answer has arrived.
        """
        self._answers.observe(turn.last_byte_us - turn.flushed_us)
        if turn.turn == self._last_turn and self._last_us is not None:
            self._last_us = max(self._last_us, turn.last_byte_us)
            return
        if self._last_us is not None:
            self._handling.observe(turn.flushed_us - self._last_us)
        self._last_us = turn.last_byte_us
        self._last_turn = turn.turn

    def forfeited(self, forfeit: ForfeitRecord, within: object = None) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._forfeits[forfeit.reason] += 1
        self._last_us = None

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        """See :class:`~polynya_server.match.seat.MatchListener`.

        Matches are counted by :meth:`ServerMetrics.record`, before they are recorded.
        """
