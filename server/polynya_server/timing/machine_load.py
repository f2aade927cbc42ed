"""How busy the machine was during a match: what all its programs used, and what others took away.

Linux counts both since it was started (proc(5): ``/proc/stat``, ``/proc/loadavg``). It is read once
a second at most, so a match costs nothing.
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
    """The processors' time since the machine was started, in ticks.

    Attributes:
        busy: of all programs.
        stolen: in which the machine wanted to run and its host let others run.
        total: of all cores together.
        runnable: how many tasks run or wait for a core, the mean of a minute.
        cores: that there are.
    """

    busy: int
    stolen: int
    total: int
    runnable: float
    cores: int


def read_sample() -> Sample | None:
    """The counters as they are now; None where there are none."""
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
    """Reads the counters, and computes what happened between two readings.

    Args:
        now: the time, ns.
        read: gives a sample.
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
        """The machine's load since a sample; of less than a second, in the second around it.

        Returns:
            None where nothing is counted, or nothing yet.
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
