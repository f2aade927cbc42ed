"""Records one process of a bot as the host sees it: its use of resources, and how it ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import trio

from polynya_common.reasons import Cause
from polynya_hosting.bots.child_process import Child
from polynya_hosting.sandbox.interface import LimitsHit

_MOST_SAMPLES = 18_000
"""Maximum number of samples: those of an hour."""


class Span(NamedTuple):
    """A period between two times, both in ns since 1970."""

    begin: int
    end: int

    def overlap(self, other: Span) -> int:
        """Length of the overlap of both periods, in ns."""
        return max(0, min(self.end, other.end) - max(self.begin, other.begin))


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended.

    Attributes:
        how: in words.
        code: its exit code, negative for a signal; None if the host ended it.
        peak_bytes: its peak memory; None if it was not counted.
        limits: the sandbox limits that it hit, in words.
        turns: the matches that it was in, each with its turn number.
        at_ms: when, in ms since 1970.
    """

    how: Cause
    code: int | None
    peak_bytes: int | None
    limits: tuple[Cause, ...]
    turns: Mapping[str, int]
    at_ms: int


class ProcessWatch:
    """Watches one process from its start to its end.

    Args:
        name: the bot's.
        number: which of its processes.
        sandbox: the sandbox that it runs in.
        core: the processor core that it is pinned to; None for none.

    Attributes:
        ended: set when it has ended.
        end: how it ended; None before.
        since_1970_ns: offset from the monotonic clock to ns since 1970.
        reports_due: how many of its matches have ended and still need its samples.
    """

    def __init__(self, name: str, number: int, sandbox: str, core: int | None) -> None:
        self.name = name
        self.number = number
        self.sandbox = sandbox
        self.core = core
        self.ended = trio.Event()
        self.end: End | None = None
        self.reports_due = 0
        self._sampled = trio.Event()
        self._samples: deque[tuple[Span, int]] = deque(maxlen=_MOST_SAMPLES)
        self._last_us: int | None = None
        self._checkpoint: tuple[frozenset[str], int] = (frozenset(), 0)
        self.since_1970_ns = time.time_ns() - time.monotonic_ns()
        self._ask: Callable[[], None] = lambda: None
        self._limits_hit: Callable[[], LimitsHit] = LimitsHit
        self._last_lines: Callable[[], list[str]] = list

    def begin(
        self,
        child: Child,
        limits_hit: Callable[[], LimitsHit],
        last_lines: Callable[[], list[str]],
    ) -> None:
        """Begin to watch the started process.

        Args:
            child: the process.
            limits_hit: returns the limits that its sandbox has seen it hit.
            last_lines: returns its last output lines.
        """
        self._ask = child.ask_used
        self._limits_hit = limits_hit
        self._last_lines = last_lines
        self._ask()

    def note_used(self, begin_ns: int, end_ns: int, cpu_us: int) -> None:
        """Note the process's total processor time; its latest part was used in this period.

        Args:
            begin_ns: the period's begin, by the monotonic clock.
            end_ns: its end.
            cpu_us: the total processor time up to its end.
        """
        if self._last_us is not None and cpu_us > self._last_us:
            span = Span(begin_ns + self.since_1970_ns, end_ns + self.since_1970_ns)
            self._samples.append((span, cpu_us - self._last_us))
        self._last_us = cpu_us
        self._sampled.set()

    def forget_samples(self, in_play: Iterable[str]) -> None:
        """Drop samples that no match needs any more: an hour of them takes 4 MB.

        The matches that are in play at a call are a checkpoint: when all of them have ended and
        are reported, the samples from before that call belong to no match.

        Args:
            in_play: the matches that the process is in now.
        """
        now = frozenset(in_play)
        before, at_ns = self._checkpoint
        if self.reports_due or before & now:
            return
        while self._samples and self._samples[0][0].end <= at_ns:
            self._samples.popleft()
        self._checkpoint = now, time.monotonic_ns() + self.since_1970_ns

    def finish(self, end: End) -> None:
        """Record its end."""
        self.end = end
        self._ask = lambda: None
        self._limits_hit = lambda: LimitsHit(end.limits, end.peak_bytes)
        self.ended.set()

    async def newly_sampled(self) -> None:
        """Wait for a sample of its use up to now; the caller limits the time."""
        if not self.ended.is_set() and self._last_us is not None:
            self._sampled = trio.Event()
            self._ask()
            await self._sampled.wait()

    def limits_hit(self) -> LimitsHit:
        """The limits that its sandbox has seen it hit since its start."""
        return self._limits_hit()

    def last_lines(self) -> list[str]:
        """The last lines of its output, safe to print to a terminal."""
        return self._last_lines()

    def cpu_ms(self, turns: Sequence[tuple[int, Span]]) -> list[tuple[int, int]]:
        """The processor time of each turn, in ms, by the turns' numbers; empty if not counted.

        A sample is divided among the bot's turns in its period, by their lengths: a bot thinks
        during its turns. Time used between two samples without a turn counts for none.

        Args:
            turns: the bot's turns in one match, in order, each with its number.
        """
        if self._last_us is None or not turns:
            return []
        began = turns[0][1].begin
        # From the last one backwards: samples from long before this match are skipped.
        of_match = [*takewhile(lambda one: one[0].end > began, reversed(self._samples))]
        used_us = [0.0] * len(turns)
        first = 0
        for sample, cpu_us in reversed(of_match):
            while first < len(turns) and turns[first][1].end <= sample.begin:
                first += 1
            within = takewhile(lambda turn: turn[1].begin < sample.end, turns[first:])  # noqa: B023
            shares = [sample.overlap(span) for _, span in within]
            for place, share in enumerate(shares, start=first):
                used_us[place] += cpu_us * share / (sum(shares) or 1)
        return [(number, round(us / 1000)) for (number, _), us in zip(turns, used_us, strict=True)]
