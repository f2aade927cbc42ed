"""A clock for trio that stands still until it is moved: equal runs then have equal times."""

from __future__ import annotations

import time

import trio

BEGIN_S = 1_000.0
LOOK_AGAIN_S = 0.1
"""How long trio waits for sockets at most before it reads the clock again, in real seconds."""

JUMP_S = 1e9
"""How far the clock jumps when a run has taken too long: all timeouts of the run are over then."""


class StoppedClock(trio.abc.Clock):
    """A clock that only :meth:`advance` moves, until the run has taken too long.

    Args:
        patience_s: the real seconds after which it jumps by ``JUMP_S``.
    """

    def __init__(self, patience_s: float) -> None:
        self._now_s = BEGIN_S
        self._jumps_at_s = time.monotonic() + patience_s

    def start_clock(self) -> None:
        """See ``trio.abc.Clock``."""

    def current_time(self) -> float:
        """See ``trio.abc.Clock``."""
        return self._now_s + (JUMP_S if time.monotonic() > self._jumps_at_s else 0)

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """See ``trio.abc.Clock``."""
        return 0.0 if deadline <= self.current_time() else LOOK_AGAIN_S

    def advance(self, ms: int) -> None:
        """Move the clock by ``ms`` milliseconds."""
        self._now_s += ms / 1_000
