"""How long another thread may keep the interpreter while the loop waits for it.

Threads make pages. In the middle of its work Python lets a thread go on for up to 5 ms, and the
loop gives the interpreter up in each call of the operating system: a turn waits for 5 ms several
times. Beside a busy thread a move waited for 28 ms on average, and for 6 to 12 with this interval.

The plain way is Python's own interval.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERVAL_S = 0.0002


@contextmanager
def short_switch_interval() -> Iterator[None]:
    """Let the loop wait a fifth of a millisecond for other threads, as long as the block lasts."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
