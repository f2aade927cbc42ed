"""Warnings for the host while the database cannot be written, and when it can be again."""

from __future__ import annotations

import time
from collections.abc import Callable

_FIRST_S = 10.0
_LONGEST_S = 300.0


class Outage:
    """Warns at once, then after 10 s, 20 s, 40 s and so on, at least every 5 min; and at its end.

    Args:
        warn: takes the sentences.
        now: the time in seconds.
    """

    def __init__(
        self, warn: Callable[[str], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._warn = warn
        self._now = now
        self._began_s: float | None = None
        self._next_s = 0.0
        self._pause_s = _FIRST_S

    def failed(self, problem: str, records: int) -> None:
        """A write has failed and will be tried again.

        Args:
            problem: why, a sentence without its full stop.
            records: how many wait.
        """
        now_s = self._now()
        if self._began_s is None:
            self._began_s = self._next_s = now_s
            self._pause_s = _FIRST_S
        if now_s < self._next_s:
            return
        self._warn(f"{problem}; {_waiting(records, now_s - self._began_s)} written again")
        self._next_s = now_s + self._pause_s
        self._pause_s = min(2 * self._pause_s, _LONGEST_S)

    def over(self) -> None:
        """Report that the records that waited are written."""
        if self._began_s is not None:
            waited_s = self._now() - self._began_s
            self._began_s = None
            self._warn(f"the database is written again, after {waited_s:.0f} s; nothing was lost")


def _waiting(records: int, for_s: float) -> str:
    since = f", for {for_s:.0f} s now," if for_s >= 1 else ""
    return (
        f"1 record waits{since} and is"
        if records == 1
        else f"{records} records wait{since} and are"
    )
