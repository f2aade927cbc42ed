"""The garbage collector, kept from pausing the matches.

What the server makes is freed by reference counts, because a match and a connection take themselves
apart at their end: the collector finds next to nothing. Left to itself it looks for it at bad times
and for long. It runs when 10,000 more objects have come than gone, *whichever* have gone; while old
matches end as new ones begin that is rarely so, and meanwhile hundreds of thousands come together:
a "young" collection of 100 ms, in whichever thread happens to make the last object.

So, while matches are in play, the young objects are looked at often, when they are few, and those
that are still in use are set aside (``gc.freeze``), never to be looked at again. Where many matches
make many of them, looking at all would take a twentieth of the loop's time and 7 ms at the worst:
half of the moves waited for 0.22 ms at 20,000 turns a second with 1,000 matches, and for 0.19
without it (medians of four runs in alternation). So then most are set aside unseen.

What is set aside and is garbage in a cycle, or becomes it later on, stays until everything is
swept: when much more memory is in use than after the last time, and rather while no match is in
play. Matches leave no such garbage; one page in eight that is asked for meanwhile leaves some 200
objects.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS

PERIOD_NS = 20 * NS_PER_MS
"""At 20,000 turns a second some 2,000 objects have come then: half a millisecond's work."""

SHARE = 200
"""Looking at the young takes one part in so many of the time at most."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When what is set aside is swept, which takes a tenth of a second.

    Attributes:
        look_ns: how often the memory in use is looked at.
        growth: everything is swept if that is so many times as much as after the last sweep.
    """

    look_ns: int
    growth: float


IN_PLAY = Rule(10_000 * NS_PER_MS, 3.0)
"""A thousand matches and their bots double what the server had in use before the first of them."""

AT_REST = Rule(5_000 * NS_PER_MS, 1.25)
"""No clock runs: a sweep hurts nobody."""

THRESHOLDS = (10_000, 40, 50)
"""For the time between the matches, in which Python's own rule holds."""


class Collector:
    """Decides when garbage is collected while matches are in play.

    Args:
        deadlines: calls it.
        in_play: when everything is swept while matches are in play.
        at_rest: the same for when the last of them has ended.
    """

    def __init__(
        self, deadlines: DeadlineQueue, in_play: Rule = IN_PLAY, at_rest: Rule = AT_REST
    ) -> None:
        self._in_play = in_play
        self._at_rest = at_rest
        self._now = deadlines.now
        self._deadline = deadlines.new(self._collect)
        self._matches = 0
        self._look_again_ns = 0
        self._was_on = False
        self._looked_ns = self._now()
        self._blocks = sys.getallocatedblocks()

    def begin(self) -> None:
        """A match begins."""
        self._matches += 1
        if self._matches == 1:
            self._was_on = gc.isenabled()
            gc.disable()
            self._collect()

    def end(self) -> None:
        """A match has ended."""
        self._matches -= 1
        if not self._matches:
            self._deadline.clear()
            self._sweep_if_due(self._at_rest)
            if self._was_on:
                gc.enable()

    def _collect(self) -> None:
        begin_ns = self._now()
        if begin_ns >= self._look_again_ns:
            gc.collect(0)
            self._look_again_ns = begin_ns + SHARE * (self._now() - begin_ns)
        gc.freeze()
        self._sweep_if_due(self._in_play)
        self._deadline.set(self._now() + PERIOD_NS)

    def _sweep_if_due(self, rule: Rule) -> None:
        now_ns = self._now()
        if now_ns < self._looked_ns + rule.look_ns:
            return
        self._looked_ns = now_ns
        # Counting what is set aside would take 12 ms with 1,000 matches; this takes 0.1.
        if sys.getallocatedblocks() > rule.growth * self._blocks:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._blocks = sys.getallocatedblocks()


@contextmanager
def calm_collector() -> Iterator[None]:
    """Set aside what exists already, and collect rarely, as long as the block lasts."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
