"""The host's view of one process of a bot: its use of resources, and how it ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import trio

from polynya_common.reasons import Cause
from polynya_hosting.bots.child_process import Child
from polynya_hosting.sandbox.interface import LimitsHit

_MOST_SAMPLES = 18_000
"""An hour of them."""


class Span(NamedTuple):
    """From one moment to another, both in ns since 1970."""

    begin: int
    end: int

    def overlap(self, other: Span) -> int:
        """The part of the time that both have, in ns."""
        return max(0, min(self.end, other.end) - max(self.begin, other.begin))


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended.

    Attributes:
        how: in words.
        code: its exit code, negative for a signal; None if the host ended it.
        peak_bytes: the most memory that it used; None if it was not counted.
        limits: of its sandbox that it met, in words.
        turns: the matches that it was in, each with its turn.
        at_ms: when, in ms since 1970.
    """

    how: Cause
    code: int | None
    peak_bytes: int | None
    limits: tuple[Cause, ...]
    turns: Mapping[str, int]
    at_ms: int


class ProcessWatch:
    """One process, from its start to its end.

    Args:
        name: the bot's.
        number: which of its processes.
        sandbox: what it runs in.
        core: the processor core that it is pinned to; None for none.

    Attributes:
        ended: set when it has.
        end: how; None before.
        since_1970_ns: what is added to moments of the monotonic clock for those since 1970.
    """

    def __init__(self, name: str, number: int, sandbox: str, core: int | None) -> None:
        self.name = name
        self.number = number
        self.sandbox = sandbox
        self.core = core
        self.ended = trio.Event()
        self.end: End | None = None
        self._sampled = trio.Event()
        self._samples: deque[tuple[Span, int]] = deque(maxlen=_MOST_SAMPLES)
        self._last_us: int | None = None
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
        """It was started.

        Args:
            child: it.
            limits_hit: says what its sandbox has seen of it.
            last_lines: says what it wrote last.
        """
        self._ask = child.ask_used
        self._limits_hit = limits_hit
        self._last_lines = last_lines
        self._ask()

    def note_used(self, begin_ns: int, end_ns: int, cpu_us: int) -> None:
        """Note processor time that the process has used, the last of it between two moments.

        Args:
            begin_ns: the first moment, of the monotonic clock.
            end_ns: the second one.
            cpu_us: the processor time up to the second one.
        """
        if self._last_us is not None and cpu_us > self._last_us:
            span = Span(begin_ns + self.since_1970_ns, end_ns + self.since_1970_ns)
            self._samples.append((span, cpu_us - self._last_us))
        self._last_us = cpu_us
        self._sampled.set()

    def finish(self, end: End) -> None:
        """It has ended."""
        self.end = end
        self._ask = lambda: None
        self._limits_hit = lambda: LimitsHit(end.limits, end.peak_bytes)
        self.ended.set()

    async def newly_sampled(self) -> None:
        """Return when it is known what it has used up to now; the caller limits the time."""
        if not self.ended.is_set() and self._last_us is not None:
            self._sampled = trio.Event()
            self._ask()
            await self._sampled.wait()

    def limits_hit(self) -> LimitsHit:
        """The limits that its sandbox has seen it meet since its start."""
        return self._limits_hit()

    def last_lines(self) -> list[str]:
        """The last lines of its output, fit for a terminal."""
        return self._last_lines()

    def cpu_ms(self, turns: Sequence[tuple[int, Span]]) -> list[tuple[int, int]]:
        """The processor time of each turn, in ms, by the turns' numbers; empty if not counted.

        A sample of a time in which the bot had turns counts for these, each by its length: a bot
        thinks when it is its turn. Time used between two samples without a turn counts for none.

        Args:
            turns: the bot's in one match, in their order: each with its number.
        """
        if self._last_us is None or not turns:
            return []
        began = turns[0][1].begin
        # From the last one backwards: those of an hour before this match are not looked at.
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
