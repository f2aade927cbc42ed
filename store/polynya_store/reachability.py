"""Whether a database answers: noted every second by the server that plays into it."""

from __future__ import annotations

import time
from collections.abc import Callable

_LATE_S = 3.0
"""Without a word of the database for this long something between is cut."""


class Reachability:
    """Knows when a database answered last, and why it did not.

    Args:
        now: the time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._answered_s = now()
        self._problem: str | None = None

    def answered(self) -> None:
        """It has answered."""
        self._answered_s = self._now()
        self._problem = None

    def failed(self, problem: str) -> None:
        """It has not; ``problem`` says why, a sentence without its full stop."""
        self._problem = problem

    def problem(self) -> str | None:
        """A sentence without its full stop while it does not answer; None while it does."""
        silent_s = self._now() - self._answered_s
        if self._problem is None and silent_s > _LATE_S:
            return f"the database has not answered for {silent_s:.0f} s"
        return self._problem
