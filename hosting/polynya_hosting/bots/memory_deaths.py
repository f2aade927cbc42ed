"""Deaths for want of memory: what programs say then, and how much they used.

A control group says itself that it killed a process. Elsewhere each process has a limit of its own
(RLIMIT_DATA): it is not killed there but gets no more memory, and ends as its runtime sees fit.
"""

from __future__ import annotations

import re
from typing import Final

from polynya_common.reasons import Reason
from polynya_hosting.sandbox.guard_settings import MIB

_NEAR: Final = 0.9
"""A program that asks for more memory in steps ends at least this close to its limit."""

_SAID: Final = re.compile(
    rb"^MemoryError\b"
    rb"|^\S*ArrayMemoryError: "
    rb"|std::bad_alloc"
    rb"|\b[Oo]ut of memory\b"
    rb"|\bOutOfMemoryError: (?!unable to create)"
    rb"|There is insufficient memory for the Java Runtime Environment"
    rb"|\bCannot allocate memory\b"
    rb"|^fatal error: .*cannot allocate memory"
    rb"|memory allocation of \d+ bytes failed"
    rb"|virtual memory exhausted"
)
_LONGEST_LINE: Final = 2_000


def says_no_memory(line: bytes) -> bool:
    """Whether a line is what runtimes say that get no more memory, from C to Java."""
    if b"emory" not in line and b"bad_alloc" not in line:
        return False
    return _SAID.search(line, 0, _LONGEST_LINE) is not None


def memory_cause(
    memory_mb: int, code: int, peak_bytes: int | None, *, said: bool, is_grouped: bool
) -> Reason | None:
    """Why a program ended, if that was its limit of memory; None if nothing tells so.

    Args:
        memory_mb: the limit, in MiB.
        code: as in Popen.
        peak_bytes: the most memory that one of its processes used; None where not counted.
        said: whether it said near its end that it got no more memory.
        is_grouped: whether a control group counts its memory, and says itself what it kills.
    """
    if code == 0:
        return None
    if said:
        return Reason.of("memory_ran_out", mebibytes=memory_mb)
    if not is_grouped and (peak_bytes or 0) >= _NEAR * memory_mb * MIB:
        return Reason.of("memory_used_up", mebibytes=memory_mb)
    return None
