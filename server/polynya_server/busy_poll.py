"""How long to look for bytes again before going to sleep: as long as sleeps have been short.

Going to sleep and being woken takes the loop longer than a turn does. Two matches of quick bots
send a move every few tens of microseconds; then it is cheaper to ask the operating system again for
as long as that, and everywhere else it is not. So the time is learned, as processors' idle loops
learn theirs: a sleep that was shorter than :data:`MOST_NS` makes it longer, a search that found
nothing halves it. With two matches a turn took 57 µs of the server's processor instead of 82, the
journal left out (compiled, medians of three runs in alternation); with 256 matches there is always
something to read.
"""

from __future__ import annotations

MOST_NS = 60_000
"""The longest search; a tenth of a millisecond is what a bot on another machine takes at least."""

_STEP_NS = MOST_NS // 4
_LEAST_NS = 4_000
"""A search that may only be shorter than this asks twice or three times: not worth it."""


class BusyPoll:
    """Learns the time.

    Attributes:
        search_ns: how long to search now; 0 for not at all.
    """

    __slots__ = ("search_ns",)

    def __init__(self) -> None:
        self.search_ns = 0

    def found(self) -> None:
        """A search has found something."""
        self.search_ns = min(MOST_NS, self.search_ns + _STEP_NS)

    def missed(self) -> None:
        """A search has found nothing."""
        half_ns = self.search_ns // 2
        self.search_ns = half_ns if half_ns >= _LEAST_NS else 0

    def slept(self, ns: int) -> None:
        """The loop has slept for so long: would a search have found what woke it?"""
        if ns < MOST_NS:
            self.found()
