"""Memory of a long-running process: one arena for all threads, and free memory is given back."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import trio

M_ARENA_MAX = -8
"""``mallopt``'s number for the most arenas, from glibc's ``malloc.h``."""
TRIM_INTERVAL_S = 60.0


def use_one_arena() -> bool:
    """Let threads that start from now on allocate from the main arena; whether that is possible.

    Each thread of glibc otherwise has an arena of its own. Memory that a thread has freed stays in
    its arena, and a server whose threads come and go grows by free memory. Python's interpreter
    lock lets one thread allocate at a time, so a single arena is hardly contended.

    Only glibc has this setting; elsewhere nothing changes. It has no effect when threads have
    already allocated: call it first.
    """
    return (library := _glibc()) is not None and bool(library.mallopt(M_ARENA_MAX, 1))


def return_free_memory() -> bool:
    """Give free pages of all arenas back to the system; whether there were any.

    Freed memory between memory in use stays with the process otherwise. Only glibc can do this;
    elsewhere nothing changes.
    """
    return (library := _glibc()) is not None and bool(library.malloc_trim(0))


async def return_free_memory_regularly(trim: Callable[[], object] = return_free_memory) -> None:
    """Give free memory back once a minute, until cancelled."""
    while True:
        await trio.sleep(TRIM_INTERVAL_S)
        trim()


def _glibc() -> ctypes.CDLL | None:
    """The C library of this process, if it is glibc: others number settings differently."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no library of the process
        return None
    return library if hasattr(library, "gnu_get_libc_version") else None
