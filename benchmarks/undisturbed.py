"""The spans of time in which a virtual machine's host kept nothing from it."""

from __future__ import annotations

import time

import trio

from benchmarks.processes import stolen_ticks
from benchmarks.samples import one_holds

LOOK_S = 0.1
AFTERMATH_S = 0.5
"""At half load a pause's backlog has been worked off after as long as the pause took."""
LEAST_S = 5
"""With less than this, what was seen says nothing."""


class Undisturbed:
    """Looks ten times a second whether the host has kept a tick, of 10 ms, since the last time.

    A span begins so long after the last such tick that its backlog is worked off, and ends before
    the next. A run that is slow within one span was slow by itself.
    """

    def __init__(self) -> None:
        self._begins: list[float] = []
        self._ends: list[float] = []

    async def watch(self) -> None:
        """Look until cancelled; return at once where the system says nothing."""
        before, looked, stolen = stolen_ticks(), time.time(), time.time()
        while before is not None:
            await trio.sleep(LOOK_S)
            ticks, now = stolen_ticks(), time.time()
            if ticks != before:
                before, stolen = ticks, now
            elif looked - stolen >= AFTERMATH_S:
                self._add(looked, now)
            looked = now

    def _add(self, begin: float, end: float) -> None:
        if self._ends and self._ends[-1] == begin:
            self._ends[-1] = end
        else:
            self._begins.append(begin)
            self._ends.append(end)

    def seconds(self) -> float:
        """How long all spans are together."""
        return sum(self._ends) - sum(self._begins)

    def holds(self, begin: float, end: float) -> bool:
        """Whether one span holds both moments, in seconds since 1970."""
        return one_holds(self._begins, self._ends, begin, end)
