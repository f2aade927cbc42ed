"""How long a tournament waits for bots from outside that are not there."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable


class Absence:
    """Counts how long bots were away while matches waited for them.

    A bot that comes back goes on where its count was, until it has played a match: so coming and
    going holds a tournament up no longer than staying away. A bot whose time is over is absent as
    long as it is away; no further match waits for it.

    Args:
        limit_s: after so many seconds a bot is absent.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._waited_s: defaultdict[str, float] = defaultdict(float)
        self._away: set[str] = set()
        self._noted_s = 0.0

    def note(self, now_s: float, away: Iterable[str]) -> None:
        """From now on these bots are away, and matches wait for them; no others.

        Args:
            now_s: a moment, by a clock that is never set.
            away: their names; none while the tournament does not play.
        """
        for name in self._away:
            self._waited_s[name] += now_s - self._noted_s
        self._away, self._noted_s = set(away), now_s

    def played(self, names: Iterable[str]) -> None:
        """These bots have played a match to its end: their counts begin anew."""
        for name in names:
            self._waited_s.pop(name, None)

    @property
    def absent(self) -> set[str]:
        """The bots that are away and whose time is over."""
        return {name for name in self._away if self._waited_s[name] >= self._limit_s}

    @property
    def next_s(self) -> float:
        """In how many seconds the next bot is absent; infinity if that is not foreseen."""
        left = (self._limit_s - self._waited_s[name] for name in self._away - self.absent)
        return min(left, default=math.inf)
