"""Measures how busy the machine was during a match: its own programs, and time stolen by its host.

Linux counts both since boot (proc(5): ``/proc/stat``, ``/proc/loadavg``). The counters are read at
most once a second, so a match costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from polynya_server.records import MachineLoad
from polynya_server.timing.monotonic_clock import NS_PER_S, NowNs

STAT = Path("/proc/stat")
LOADAVG = Path("/proc/loadavg")
_FRESH_NS = NS_PER_S


class Sample(NamedTuple):
    """Processor time since boot, in ticks.

    Attributes:
        busy: time used by all programs.
        stolen: time in which the machine wanted to run and its host let others run.
        total: all time, over all cores.
        runnable: number of tasks that run or wait for a core, mean of a minute.
        cores: number of cores.
    """

    busy: int
    stolen: int
    total: int
    runnable: float
    cores: int


def read_sample() -> Sample | None:
    """Read the current counters; None on systems without them."""
    try:
        lines = STAT.read_text(encoding="ascii").splitlines()
        runnable = float(LOADAVG.read_text(encoding="ascii").split()[0])
        # user nice system idle iowait irq softirq steal; guests are counted in user and nice
        times = [int(word) for word in lines[0].split()[1:9]]
    except (OSError, ValueError, IndexError):
        return None
    total, idle, stolen = sum(times), sum(times[3:5]), sum(times[7:8])
    cores = sum(line.startswith("cpu") for line in lines) - 1
    return Sample(total - idle - stolen, stolen, total, runnable, max(1, cores))


class LoadMeter:
    """Computes the load between two readings of the counters.

    Args:
        now: the time, ns.
        read: reads a sample.
    """

    def __init__(self, now: NowNs, read: Callable[[], Sample | None] = read_sample) -> None:
        self._now = now
        self._read = read
        self._read_ns: int | None = None
        self._last: Sample | None = None
        self._before: Sample | None = None

    def sample(self) -> Sample | None:
        """The counters, at most a second old."""
        now_ns = self._now()
        if self._read_ns is None or now_ns - self._read_ns >= _FRESH_NS:
            self._read_ns = now_ns
            self._before, self._last = self._last, self._read()
        return self._last

    def since(self, begin: Sample | None) -> MachineLoad | None:
        """The machine's load since a sample; a period below a second is widened to a second.

        Returns:
            None where the system has no counters, or too little time has passed.
        """
        end = self.sample()
        if end is not None and begin == end:
            begin = self._before
        if begin is None or end is None or end.total <= begin.total:
            return None
        total = end.total - begin.total
        return MachineLoad(
            round((end.busy - begin.busy) / total, 3),
            round((end.stolen - begin.stolen) / total, 3),
            end.runnable,
            end.cores,
        )
