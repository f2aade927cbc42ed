"""Counts cores: those that a match needs, and those that this process may use.

A process may use cores by its affinity and its processor quota.

A container with one core (``--cpus=1``), or a service with a quota (``CPUQuota=``), sees all cores
of the machine. When it has used up its time it is stopped for the rest of each tenth of a second,
even if no other program runs. The limit is read from the kernel (its documentation of control
groups, version 2: ``cpu.max``); version 1 is ignored.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

from polynya_games import load

GROUPS = Path("/sys/fs/cgroup")
GROUPS_OF_PROCESS = Path("/proc/self/cgroup")


def cores_of(game: str, seats: int) -> int:
    """Number of cores that a match needs while its bots think.

    In a joint turn the bots of all seats think at the same time; in all other games one bot does.

    Args:
        game: the name of an installed game.
        seats: the number of players of the match.
    """
    return seats if load(game).joint else 1


def matches_on(cores: int, game: str, seats: int) -> int:
    """Number of matches that ``cores`` allow at the same time.

    It is at least one: a match that needs more cores than there are is played alone.

    Args:
        cores: the number of cores; one per match of a game without joint turns.
        game: the name of an installed game.
        seats: the number of players of each match.
    """
    return max(1, cores // cores_of(game, seats))


def usable_cores() -> int:
    """The whole cores that this process may use at the same time, at least one."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return max(1, math.floor(min(cores, quota(GROUPS_OF_PROCESS, GROUPS))))


def core_numbers() -> list[int]:
    """The numbers of the cores that this process may run on; empty if unknown."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def quota(of_process: Path, groups: Path) -> float:
    """Number of cores that a process may use by the limits of its control group and its parents.

    Args:
        of_process: the file that names its group.
        groups: the folder of all groups.

    Returns:
        infinity if there is no limit, or the limit is unknown.
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
