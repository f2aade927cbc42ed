"""By how much matches are shown later than they are played, and how much may wait for that."""

from __future__ import annotations

from polynya_server.timing.deadlines import Timekeeper
from polynya_server.timing.monotonic_clock import NS_PER_S

MOST_WAITING = 100_000
"""While as many events wait to be shown, matches that begin are not shown live."""


class Delay:
    """The delay of one server, for all of its matches.

    Attributes:
        delay_ns: the delay.
        waiting: how many events wait to be shown, of all matches.
    """

    def __init__(self, timekeeper: Timekeeper, delay_s: int) -> None:
        self.timekeeper = timekeeper
        self.delay_ns = delay_s * NS_PER_S
        self.waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether so much waits that matches that begin now are not shown."""
        return self.waiting >= MOST_WAITING
