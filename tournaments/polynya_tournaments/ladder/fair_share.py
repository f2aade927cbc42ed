"""A fair share: how many matches at once each bot of a ladder may have."""

from __future__ import annotations

from bisect import bisect_left, insort


class FairShare:
    """Divides what can be played at once evenly among bots that come and go.

    Args:
        slots: how many matches are played at once at the most.
        players: of a match.
    """

    def __init__(self, slots: int, players: int) -> None:
        self._seats = slots * players
        self._places: list[int] = []
        self._total = 0

    @property
    def matches(self) -> int:
        """How many matches each bot may have.

        Places of a bot that are more than all others have together are of no use: there can be
        one bot of which that is true.
        """
        if not self._places:
            return 1
        of_use = min(self._total, 2 * (self._total - self._places[-1]))
        return max(1, min(self._seats, of_use) // len(self._places))

    def add(self, places: int) -> None:
        """A bot comes that would play this number of matches at once."""
        insort(self._places, places)
        self._total += places

    def remove(self, places: int) -> None:
        """A bot with this number of matches leaves."""
        del self._places[bisect_left(self._places, places)]
        self._total -= places
