"""When the server cannot keep up: how long those whose match it annulled wait for the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

LONGEST_WAIT_S = 16
MOST_ANNULLED = 12
"""So often is a match of a tournament annulled before it is given up: a minute and a half of
waiting, without what is played. A machine that is busy for a moment has caught up long before."""


class AnnulmentBackoff:
    """Counts how often in a row the matches of somebody were annulled; each time the wait doubles.

    Whoever waits plays nothing meanwhile. So there is less for the server to do, the less the more
    it annuls, until it keeps up: as stations on one cable share it without knowing each other.

    Args:
        first_wait_s: the wait after the first one, in seconds.
    """

    def __init__(self, first_wait_s: float = 0.25) -> None:
        self._first_wait_s = first_wait_s
        self._in_a_row: Counter[Hashable] = Counter()

    def annulled(self, *keys: Hashable) -> float:
        """A match of these was annulled; for how many seconds they wait."""
        self._in_a_row.update(keys)
        in_a_row = max(self._in_a_row[key] for key in keys)
        return float(min(LONGEST_WAIT_S, self._first_wait_s * 2 ** min(in_a_row - 1, 16)))

    def reset(self, *keys: Hashable) -> None:
        """A match of these was not annulled."""
        for key in keys:
            self._in_a_row.pop(key, None)

    def is_exhausted(self, key: Hashable) -> bool:
        """Whether it has been annulled too often in a row to be tried again."""
        return self._in_a_row[key] >= MOST_ANNULLED
