"""How many cores this process may use: where it may run, and for how much of the time.

A container that was given one core (``--cpus=1``), or a service with a quota (``CPUQuota=``), sees
all cores of the machine. When it has used up its time it stands still for the rest of each tenth of
a second, even if no other program runs. The limit is written where the kernel keeps it (its
documentation of control groups, version 2: ``cpu.max``); version 1 is not looked at.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
GROUPS_OF_PROCESS = Path("/proc/self/cgroup")


def usable_cores() -> int:
    """The whole cores that this process may use at the same time, at least one."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, math.floor(min(cores, quota(GROUPS_OF_PROCESS, GROUPS))))


def core_numbers() -> list[int]:
    """The numbers of the cores that this process may run on; empty where unknown."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def quota(of_process: Path, groups: Path) -> float:
    """How many cores a process may use by the limits of its control group and those around it.

    Args:
        of_process: the file that names its group.
        groups: the folder of all groups.

    Returns:
        infinity if nothing is limited, or nothing is known.
    """
    try:
        lines = of_process.read_text().splitlines()
    except OSError:
        return math.inf
    names = [line.removeprefix("0::/") for line in lines if line.startswith("0::/")]
    return min(
        (
            _limit(folder / "cpu.max")
            for name in names
            for folder in (groups / name, *(groups / name).parents)
            if folder.is_relative_to(groups)
        ),
        default=math.inf,
    )


def _limit(file: Path) -> float:
    try:
        allowed, period = file.read_text().split()
        return math.inf if allowed == "max" else int(allowed) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return math.inf
