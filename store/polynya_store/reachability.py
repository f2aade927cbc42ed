"""Whether a database answers: noted every second by the server that plays into it."""

from __future__ import annotations

import time
from collections.abc import Callable

from polynya_store.backends.backend import CLAIM_S

_LATE_S = 3.0
"""Without a word of the database for this long something between is cut."""


class Reachability:
    """Knows when a database answered last, why it did not, and whether another server stood by.

    Args:
        now: the time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._answered_s = now()
        self._problem: str | None = None
        self._is_awaited = False

    def answered(self, *, is_awaited: bool) -> None:
        """It has answered; ``is_awaited`` says whether another server stands by."""
        self._answered_s = self._now()
        self._problem = None
        self._is_awaited = is_awaited

    def failed(self, problem: str) -> None:
        """It has not; ``problem`` says why, a sentence without its full stop."""
        self._problem = problem

    def problem(self) -> str | None:
        """A sentence without its full stop while it does not answer; None while it does."""
        silent_s = self._now() - self._answered_s
        problem = self._problem
        if problem is None and silent_s > _LATE_S:
            problem = f"the database has not answered for {silent_s:.0f} s"
        if problem is None or not self._is_awaited:
            return problem
        left_s = max(0.0, CLAIM_S - silent_s)
        return f"{problem}; another server stands by, and this one stops in {left_s:.0f} s"

    @property
    def is_lost(self) -> bool:
        """Whether a server that stands by may have taken over, and this one would not hear of it.

        Without one matches go on while the database is away.
        """
        return self._is_awaited and self._now() - self._answered_s > CLAIM_S
