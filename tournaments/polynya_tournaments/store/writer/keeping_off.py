"""The process that writes keeps off the processor on which a busy loop runs.

Linux looks for an idle processor for who wakes up, but hardly where most of them are busy: with two
of them the writing process, woken by the one that plays, ran on the loop's and shared it for tens
of milliseconds, and moves waited although the other processor had time. Only the system's next
balancing of loads ended that. With 1,000 matches, 23,500 turns a second and the bots on a processor
of their own one move in a hundred waited for 0.8 to 1.7 ms where this process keeps off (four runs,
and 14.5 in a fifth), and for 1.0 to 5.0 where it does not (median of five: 3.2).

It is asked for anew in each batch, because the loop's processor changes. A loop that sleeps needs
none; then this process may run anywhere, as where there is one processor only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Set
from pathlib import Path

_STATE = 0  # of what stands behind the name in /proc/PID/stat, see proc_pid_stat(5)
_PROCESSOR = 36


class KeepingOff:
    """Decides where this process may run.

    Args:
        loop: what the system says of the thread that the loop runs in, ``/proc/PID/stat``.
        allowed: the processors that this process may use.
        run_on: lets this process run on these alone.
    """

    def __init__(self, loop: Path, allowed: Set[int], run_on: Callable[[Set[int]], object]) -> None:
        self._loop = loop
        self._allowed = allowed
        self._run_on = run_on
        self._present = allowed

    def begin(self) -> None:
        """A batch begins: nothing is changed where nothing has changed, or nothing is known."""
        try:
            wanted = self._allowed - self._taken()
            if wanted and wanted != self._present:
                self._run_on(wanted)
                self._present = wanted
        except OSError:
            return  # the loop is no more, or an administrator has moved this process meanwhile

    def _taken(self) -> Set[int]:
        fields = self._loop.read_text().rpartition(")")[2].split()
        return {int(fields[_PROCESSOR])} if fields[_STATE] == "R" else set()


def keep_off(process: int) -> Callable[[], object]:
    """What is to be called before each batch, so that the loop of a process is not disturbed.

    Args:
        process: its number; its loop runs in its main thread.
    """
    if sys.platform != "linux":
        return lambda: None
    loop = Path(f"/proc/{process}/stat")
    return KeepingOff(
        loop, os.sched_getaffinity(0), lambda cores: os.sched_setaffinity(0, cores)
    ).begin
