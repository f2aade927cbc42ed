"""Events of the log that a peer can cause at will: the first of a kind, then how many there are."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60.0
MAX_IN_WINDOW: Final = 50
"""The events of one kind that are logged in full within ``WINDOW_S``; then the 100th, the 1,000th,
the 10,000th and so on, each with how many there were.
"""

MAX_KINDS: Final = 10_000
"""Number of kinds that are counted; the latest ones."""


@dataclass(slots=True)
class _Window:
    began: float
    count: int = 0
    next_logged: int = 100


class RepeatedEvents:
    """Decides which events are logged.

    Args:
        now: a clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._windows: OrderedDict[tuple[str, object], _Window] = OrderedDict()

    def count(self, event: str, subject: object = None) -> dict[str, int] | None:
        """Count one more event.

        Args:
            event: the sentence.
            subject: the bot that it is about, each with a count of its own; None for peers that
                have not proven who they are, and share one.

        Returns:
            what is logged beside it: how many ``times`` it came in this window, or in the last one
            if it came too often there; None if it is not logged.
        """
        key, now = (event, subject), self._now()
        window = self._windows.get(key)
        if window is None or now - window.began >= WINDOW_S:
            self._windows[key] = _Window(now, 1)
            self._windows.move_to_end(key)
            if len(self._windows) > MAX_KINDS:
                self._windows.popitem(last=False)
            before = 0 if window is None else window.count
            return {"times": before} if before > MAX_IN_WINDOW else {}
        window.count += 1
        if window.count <= MAX_IN_WINDOW:
            return {}
        if window.count < window.next_logged:
            return None
        window.next_logged *= 10
        return {"times": window.count}

    def clear(self) -> None:
        """Begin anew."""
        self._windows.clear()
