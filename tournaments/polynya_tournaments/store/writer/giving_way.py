"""The process that writes lets others have the processor in the middle of its work.

The system gives a processor to one process for some milliseconds at a time: for four or eight,
where its timer ticks 250 times a second. With two processors for the server, this process and the
bots, the moves that came while a batch was written waited that long. With 1,000 matches and 11,700
turns a second one in a hundred waited for 0.7 to 2.8 ms (median 1.2) where this process gives way,
and for 1.1 to 18 (3.5) where it does not (nine runs each in alternation).

Who gives way to processes that compute without end gets a small part of the processor: beside four
of them one transaction in ten took 0.6 s instead of 0.2 (one run each). So there is a bound to it
in each batch, after which the system's own rule holds: 0.09 s instead of 0.04, in another minute.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import partial
from time import perf_counter, sleep
from typing import Any

_yield_processor: Callable[[], object] = getattr(os, "sched_yield", partial(sleep, 0))
"""Not every system that runs Python has the first."""

MOST_S = 0.05
"""How long others may have the processor in one batch: a fifth of the longest period."""


class Courtesy:
    """Gives way to whoever wants the processor, for :data:`MOST_S` in a batch.

    Args:
        wait: lets others have the processor.
        now: the time, in seconds.
    """

    def __init__(
        self,
        wait: Callable[[], object] = _yield_processor,
        now: Callable[[], float] = perf_counter,
    ) -> None:
        self._wait = wait
        self._now = now
        self._left_s = 0.0

    def begin(self) -> None:
        """A batch begins."""
        self._left_s = MOST_S

    def give_way(self) -> None:
        """Wait until others have had the processor: a microsecond, if nobody wants it."""
        if self._left_s > 0:
            begin_s = self._now()
            self._wait()
            self._left_s -= self._now() - begin_s


class CourteousConnection(sqlite3.Connection):
    """A connection that gives way before each statement."""

    def __init__(self, courtesy: Courtesy, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._courtesy = courtesy

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """See ``sqlite3.Connection``."""
        self._courtesy.give_way()
        return super().execute(*arguments)
