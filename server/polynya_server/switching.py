"""How long another thread may keep the interpreter while the loop waits for it.

The records of matches are written by a thread. When the loop has waited for bytes and the thread is
in the middle of its work, Python lets the thread go on for up to 5 ms, and again whenever it has
got the interpreter back; a turn that is on its way waits meanwhile. A thread that only computes
delayed one call in 10,000 by 20 ms; with half a millisecond by 12 (of which most is what else ran
on the machine), and did as much work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERVAL_S = 0.0005


@contextmanager
def quick_switching() -> Iterator[None]:
    """Let the loop wait half a millisecond for other threads, as long as the block lasts."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
