"""A server's figures, noted all the time, so that windows of time can be chosen from outside.

The process that measures lets servers run and stand still in turns, and says at the end when which
ran (:mod:`benchmarks.alternation`).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

import trio

EVERY_S = 0.01

Windows = Sequence[tuple[float, float]]
"""When a server ran: from, to, in seconds since 1970."""


class Sample(NamedTuple):
    """A server's figures at a time, in seconds since 1970."""

    time: float
    turns: int
    cpu_s: float


class Samples:
    """A server's turns and processor time, noted a hundred times a second.

    Args:
        turns: how many it has served so far.
        cpu_s: what it has used of the processors so far.
    """

    def __init__(self, turns: Callable[[], int], cpu_s: Callable[[], float]) -> None:
        self._turns = turns
        self._cpu_s = cpu_s
        self._samples: list[Sample] = []

    async def watch(self) -> None:
        """Take samples until cancelled."""
        while True:
            self._samples.append(Sample(time.time(), self._turns(), self._cpu_s()))
            await trio.sleep(EVERY_S)

    def figures(self, windows: Windows) -> dict[str, object]:
        """Turns a second in each window, the median of these, and the processor time of a turn."""
        ends = [self._ends(begin, end) for begin, end in windows]
        rates = [(last.turns - first.turns) / (last.time - first.time) for first, last in ends]
        turns = sum(last.turns - first.turns for first, last in ends)
        cpu_s = sum(last.cpu_s - first.cpu_s for first, last in ends)
        return {
            "rates": rates,
            "turns_per_second": statistics.median(rates),
            "cpu_us_per_turn": 1e6 * cpu_s / turns,
        }

    def _ends(self, begin: float, end: float) -> tuple[Sample, Sample]:
        """The first and the last sample within a window."""
        first = bisect_left(self._samples, (begin,))
        return self._samples[first], self._samples[bisect_right(self._samples, (end,)) - 1]


def one_holds(begins: Sequence[float], ends: Sequence[float], begin: float, end: float) -> bool:
    """Whether one of the spans, given by when each began and ended, holds both moments."""
    position = bisect_right(begins, begin)
    return position > 0 and end <= ends[position - 1]


async def windows() -> list[tuple[float, float]]:
    """The windows, when the measuring program has written them to the standard input."""
    await trio.lowlevel.wait_readable(sys.stdin)
    return [(begin, end) for begin, end in json.loads(sys.stdin.readline())]
