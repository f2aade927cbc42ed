"""Counting in a row: how often something happened without a break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class Streak:
    """How often something happened in a row.

    Attributes:
        length: the number of times since it last did not happen.
    """

    length: int = 0

    def note(self, *, happened: bool) -> int:
        """Count one more time that it happened, or begin anew; the length now."""
        self.length = self.length + 1 if happened else 0
        return self.length


class Streaks:
    """A streak for each key, as the name of a bot; a key never noted has a streak of length 0."""

    def __init__(self) -> None:
        self._streaks: defaultdict[Hashable, Streak] = defaultdict(Streak)

    def note(self, key: Hashable, *, happened: bool) -> int:
        """Count for a key; the length of its streak now."""
        if not happened:
            self._streaks.pop(key, None)
            return 0
        return self._streaks[key].note(happened=True)

    def length(self, key: Hashable) -> int:
        """The length of the streak of a key."""
        return self._streaks[key].length if key in self._streaks else 0
