"""How long another thread may keep the interpreter while the loop waits for it.

Pages are made by threads, and records may be written by one. When the loop has waited for bytes and
a thread is in the middle of its work, Python lets the thread go on for up to 5 ms, and again
whenever it has got the interpreter back; a turn that is on its way waits meanwhile. Here it is a
fifth of a millisecond. Shorter times were no better, and worse where the loop gives the interpreter
up in each call of the operating system: at half of the maximal load, with
the journal in a thread and beside neighbours, one move in a hundred waited for 24 ms with half a
millisecond, 34 with a tenth and 57 with a thirtieth.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERVAL_S = 0.0002


@contextmanager
def quick_switching() -> Iterator[None]:
    """Let the loop wait a fifth of a millisecond for other threads, as long as the block lasts."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
