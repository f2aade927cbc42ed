"""How long to look for bytes again before going to sleep: as long as sleeps have been short.

Going to sleep and being woken takes the loop longer than a turn does. Two matches of quick bots
send a move every few tens of microseconds; then it is cheaper to ask the operating system again for
as long as that, and everywhere else it is not. So the time is learned, as processors' idle loops
learn theirs: short sleeps make it longer, a search that found nothing halves it. With two matches a
turn took 57 µs of the server's processor instead of 82, the journal left out (compiled, medians of
three runs in alternation); with 256 matches there is always something to read.

One short sleep may be chance, and then a search is wasted: with a thousand matches at half load a
move comes every 0.2 ms on average, and one sleep in four is shorter than :data:`MOST_NS`. Learning
from three in a row only took the 57 µs of two matches to 47.
"""

from __future__ import annotations

from typing import Final

MOST_NS: Final = 60_000
"""The longest search; a tenth of a millisecond is what a bot on another machine takes at least."""

_IN_A_ROW: Final = 3
"""So many short sleeps, one after the other, are no chance."""

_STEP_NS: Final = MOST_NS // 4
_LEAST_NS: Final = 4_000
"""A search that may only be shorter than this asks twice or three times: not worth it."""


class BusyPoll:
    """Learns the time.

    Attributes:
        search_ns: how long to search now; 0 for not at all.
    """

    __slots__ = ("_short_sleeps", "search_ns")

    def __init__(self) -> None:
        self.search_ns = 0
        self._short_sleeps = 0

    def found(self) -> None:
        """A search has found something."""
        self.search_ns = min(MOST_NS, self.search_ns + _STEP_NS)

    def missed(self) -> None:
        """A search has found nothing."""
        half_ns = self.search_ns // 2
        self.search_ns = half_ns if half_ns >= _LEAST_NS else 0

    def slept(self, ns: int) -> None:
        """The loop has slept for so long: would a search have found what woke it?"""
        self._short_sleeps = self._short_sleeps + 1 if ns < MOST_NS else 0
        if self._short_sleeps >= _IN_A_ROW:
            self.found()
