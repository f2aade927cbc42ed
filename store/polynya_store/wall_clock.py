"""The wall clock, in the unit of the database."""

from __future__ import annotations

import time


def now_ms() -> int:
    """The wall clock, in ms since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000
