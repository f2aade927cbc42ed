"""Whether a search is still wanted."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable


class Cancellation:
    """Tells a search that its result is not wanted any more; like a ``threading.Event``.

    It is set when the turn's time is over, the match has ended or the connection is lost. Any
    thread may ask, and asking is cheap.
    """

    def __init__(self, deadline: float = math.inf) -> None:
        self._deadline = deadline
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._calls: list[Callable[[], object]] = []

    def is_set(self) -> bool:
        """Whether the search is to stop now."""
        return self._event.is_set() or time.monotonic() >= self._deadline

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, at most ``timeout`` seconds; returns whether it is set."""
        left = self._deadline - time.monotonic()
        patience = min(left, math.inf if timeout is None else timeout)
        self._event.wait(None if patience == math.inf else max(patience, 0))
        return self.is_set()

    def on_cancel(self, call: Callable[[], object]) -> None:
        """Let something be called, in another thread, when the server waits no longer.

        That is later than ``is_set`` if the time is over. It is called at once if that is past.
        """
        with self._lock:
            if not self._event.is_set():
                self._calls.append(call)
                return
        call()

    def cancel(self) -> None:
        """Set it."""
        with self._lock:
            self._event.set()
            calls, self._calls = self._calls, []
        for call in calls:
            call()
