"""Processes of this machine, seen from outside: whether they run, and which work in a folder."""

from __future__ import annotations

import contextlib
from pathlib import Path

import trio


def is_running(process: int) -> bool:
    """Whether there is such a process; one that has ended and is not reaped does not run."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


async def until_ended(process: int) -> None:
    with trio.fail_after(120):
        while is_running(process):
            await trio.sleep(0.01)


def children_of(process: int) -> list[int]:
    """The processes that the main thread of this one has started."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(number) for number in listed.split()]


def working_in(folder: Path) -> set[int]:
    """The processes that have this working directory."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            if (process / "cwd").readlink() == folder:
                found.add(int(process.name))
    return {process for process in found if is_running(process)}


async def until_left(folder: Path) -> None:
    """Return when no process works in a folder any more."""
    with trio.fail_after(120):
        while working_in(folder):
            await trio.sleep(0.01)
