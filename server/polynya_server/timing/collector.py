"""Keeps Python's garbage collector from pausing the matches.

Matches and connections break their reference cycles when they end, so reference counting frees
nearly all of their objects, and the collector finds next to nothing. By default it runs when 10,000
more objects have been created than freed: while old matches end as new ones begin that is rare, so
hundreds of thousands accumulate, and scanning them takes 100 ms. Therefore nothing is collected
while matches are in play, unless memory grows: pages that spectators request leave some garbage.

The plain version is to leave the collector on.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_S

LOOK_NS = 10 * NS_PER_S
"""Interval of checks of the memory in use; a check takes 0.1 ms."""

GROWTH = 1.25
OF_A_MATCH = 2_000
"""Run a full collection, which takes a tenth of a second, when the blocks in use have grown by this
factor since the last one, and by this number for each match in play. Requests for pages and uploads
leave garbage, 400 uploads 27,000 blocks of 700,000, 2 MiB; on a ladder that always plays only this
rule frees it, at 10 MiB or so. Tables of moves that games fill as they are played grow too, up to
their bounds: in the first matches of a server a collection may find nothing."""

THRESHOLDS = (10_000, 40, 50)
"""For the time between matches, in which Python's own rule holds."""


class PausedCollector:
    """Turns the collector off while matches are in play.

    Args:
        deadlines: calls it to check the memory in use.
    """

    def __init__(self, deadlines: DeadlineQueue) -> None:
        self._now = deadlines.now
        self._deadline = deadlines.new(self._look)
        self._matches = 0
        self._was_on = False
        self._blocks = 0

    def begin(self) -> None:
        """A match begins."""
        self._matches += 1
        if self._matches == 1:
            self._was_on = gc.isenabled()
            gc.disable()
            self._blocks = self._blocks or sys.getallocatedblocks()
            self._deadline.set(self._now() + LOOK_NS)

    def end(self) -> None:
        """A match has ended."""
        self._matches -= 1
        if not self._matches:
            self._deadline.clear()
            if self._was_on:
                gc.enable()

    def _look(self) -> None:
        if sys.getallocatedblocks() > GROWTH * self._blocks + OF_A_MATCH * self._matches:
            gc.collect()
            self._blocks = sys.getallocatedblocks()
        self._deadline.set(self._now() + LOOK_NS)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Freeze the objects that exist already, and collect rarely, until the context exits."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
