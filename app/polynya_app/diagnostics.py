"""Findings about this machine as a host's, in sentences that say what to do."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polynya_common.text import join_words
from polynya_hosting.bots.child_process import has_guards
from polynya_hosting.bots.cores import usable_cores
from polynya_server.timing.machine_load import read_sample
from polynya_server.transport import arrival
from polynya_store.disk_space import MB, DiskUse, warning

Verdict = Literal["good", "fair", "bad"]

NEEDED_PYTHON = (3, 11)
NEEDED_SQLITE = (3, 35, 0)
FEW_FILES, MANY_FILES = 256, 4_096
SLOW_SYNC_MS = 20.0
STEADY_CLOCKS = frozenset({"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"})
_SYNCS = 9


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        subject: what.
        verdict: ``bad`` keeps contests from being hosted well, ``fair`` limits how many or how
            exactly.
        sentence: what was found, and what to do about it unless it is good.
    """

    subject: str
    verdict: Verdict
    sentence: str


def examine(folder: Path) -> list[Finding]:
    """Everything that hosting needs of this machine; databases are to be in ``folder``."""
    looks: tuple[Callable[[], Finding], ...] = (
        lambda: python_version(sys.version_info[:3]),
        lambda: sqlite_version(sqlite3.sqlite_version_info),
        *_limits(),
        lambda: cores(usable_cores()),
        lambda: shared_cores(_siblings(), _stolen()),
        lambda: governors(_governors()),
        lambda: ends_of_bots(has_guards()),
        lambda: clock_source(_clock_source()),
        lambda: arrival_times(arrival.supported()),
        lambda: swap(*_swap()),
        lambda: disk_space(shutil.disk_usage(folder).free // MB, folder),
        lambda: sync_time(folder),
    )
    return [look() for look in looks]


def _limits() -> tuple[Callable[[], Finding], ...]:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return ()
    return (
        lambda: file_descriptors(*resource.getrlimit(resource.RLIMIT_NOFILE)),
        lambda: processes(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
    )


def _is_unlimited(limit: int) -> bool:
    import resource

    return limit == resource.RLIM_INFINITY


def python_version(version: tuple[int, int, int]) -> Finding:
    """Whether this Python is new enough."""
    shown = ".".join(map(str, version))
    if version[:2] >= NEEDED_PYTHON:
        return Finding("Python", "good", f"Python {shown} ({platform.python_implementation()}).")
    return Finding("Python", "bad", f"Python {shown} is too old: install 3.11 or newer.")


def sqlite_version(version: tuple[int, ...]) -> Finding:
    """Whether this SQLite is new enough."""
    shown = ".".join(map(str, version))
    if version >= NEEDED_SQLITE:
        return Finding("SQLite", "good", f"SQLite {shown}.")
    return Finding("SQLite", "bad", f"SQLite {shown} is too old: 3.35 or newer is needed.")


def file_descriptors(soft: int, hard: int) -> Finding:
    """How many connections there can be."""
    most = "as many as memory allows" if _is_unlimited(hard) else f"up to {hard}"
    if _is_unlimited(soft) or soft >= MANY_FILES:
        return Finding("file descriptors", "good", f"A process may open {_count(soft)} files.")
    verdict: Verdict = "bad" if soft < FEW_FILES else "fair"
    return Finding(
        "file descriptors",
        verdict,
        f"A process may open {soft} files, and each connection is one: raise the limit with "
        f"'ulimit -n' ({most}) or LimitNOFILE= in the systemd unit.",
    )


def processes(soft: int) -> Finding:
    """How many bots can be started here."""
    if _is_unlimited(soft) or soft >= FEW_FILES:
        return Finding("processes", "good", f"This user may run {_count(soft)} processes.")
    return Finding(
        "processes",
        "fair",
        f"This user may run {soft} processes; tournaments start one or more for each bot: "
        "raise the limit with 'ulimit -u'.",
    )


def _count(limit: int) -> str:
    return "any number of" if _is_unlimited(limit) else str(limit)


def cores(count: int) -> Finding:
    """Whether bots that run here leave the server a core."""
    if count == 1:
        return Finding(
            "cores",
            "fair",
            "There is 1 core: bots that think here keep the server waiting; let them run on "
            "other machines, or give this one more cores.",
        )
    bots = f"{count - 1} bots" if count > 2 else "1 bot"
    return Finding(
        "cores", "good", f"There are {count} cores: at most {bots} may think at the same time."
    )


SLOW_GOVERNORS = frozenset({"powersave", "ondemand", "conservative", "schedutil"})
STOLEN = 0.02
_PROCESSORS = Path("/sys/devices/system/cpu")


def shared_cores(siblings: int, stolen: float | None) -> Finding:
    """Whether what runs elsewhere takes time from a bot on a core of its own.

    Args:
        siblings: how many of the cores are two threads of one.
        stolen: the part of the processors' time since the start that a virtual machine's host gave
            to others; None if the system does not count it.
    """
    if stolen is not None and stolen > STOLEN:
        return Finding(
            "shared cores",
            "fair",
            f"The host of this virtual machine gave {100 * stolen:.0f} % of its cores' time to "
            "others: bots are slower at times; measure with longer clocks, or rent cores that are "
            "its own.",
        )
    if siblings:
        return Finding(
            "shared cores",
            "fair",
            f"{siblings} of the cores are threads that share one with another: a bot is slower "
            "while its neighbour thinks; play half as many matches at once, or switch that off "
            "(/sys/devices/system/cpu/smt/control).",
        )
    return Finding("shared cores", "good", "No core is seen to be shared.")


def _siblings() -> int:
    """How many processors are threads of a core that has several."""
    files = _PROCESSORS.glob("cpu[0-9]*/topology/thread_siblings_list")
    return sum(not _line(file).isdecimal() for file in files)


def _stolen() -> float | None:
    sample = read_sample()
    return None if sample is None or not sample.total else sample.stolen / sample.total


def governors(names: frozenset[str]) -> Finding:
    """Whether cores that were idle need time to get quick."""
    slow = sorted(names & SLOW_GOVERNORS)
    if not slow:
        return Finding("governors", "good", "The cores' frequency does not follow the load.")
    return Finding(
        "governors",
        "fair",
        f"The cores' frequency follows the load ({join_words(slow)}): the first moves of a match "
        "are slower; 'cpupower frequency-set -g performance' keeps it up.",
    )


def _governors() -> frozenset[str]:
    return frozenset(_line(file) for file in _PROCESSORS.glob("cpu[0-9]*/cpufreq/scaling_governor"))


def _line(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def ends_of_bots(guarded: bool) -> Finding:
    """Whether all processes of the bots that are started here end with them and the server."""
    if guarded:
        return Finding("bots", "good", "No process of a bot outlives the bot or the server.")
    return Finding(
        "bots",
        "fair",
        "Processes that a bot starts may outlive a server that is killed, and those in sessions of "
        "their own the bot too: look for them afterwards, or host on a Linux that has prctl and "
        "/proc/PID/task/TID/children.",
    )


def clock_source(name: str | None) -> Finding:
    """Whether reading the time is cheap and steady."""
    if name is None:
        return Finding("clock source", "fair", "This system does not tell the source of its clock.")
    if name in STEADY_CLOCKS:
        return Finding("clock source", "good", f"The kernel's clock source is {name}.")
    return Finding(
        "clock source",
        "fair",
        f"The kernel's clock source is {name}, which is slow to read: prefer tsc, or what the "
        "hypervisor offers (/sys/devices/system/clocksource/clocksource0/available_clocksource).",
    )


def _clock_source() -> str | None:
    path = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return None


def arrival_times(available: bool) -> Finding:
    """Whether the kernel tells when a bot's answer arrived."""
    if available:
        return Finding(
            "arrival times", "good", "The kernel tells when bytes arrive: a busy server is just."
        )
    return Finding(
        "arrival times",
        "fair",
        "This kernel does not tell when bytes arrive, so clocks stop when the server reads them: "
        "host on Linux, or keep the machine free of other work.",
    )


def swap(total_kb: int, free_kb: int) -> Finding:
    """Whether memory is swapped out."""
    used_mb = (total_kb - free_kb) // 1024
    if used_mb < 100:
        return Finding("swap", "good", "Next to nothing is swapped out.")
    return Finding(
        "swap",
        "fair",
        f"{used_mb} MB are swapped out: a server or bot that is swapped in stands still for it; "
        "free memory, or run fewer bots.",
    )


def _swap() -> tuple[int, int]:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0, 0
    values = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith("kB")}
    return values.get("SwapTotal", 0), values.get("SwapFree", 0)


def disk_space(free_mb: int, folder: Path) -> Finding:
    """Whether results have room."""
    use = DiskUse(0, free_mb * MB)
    problem = warning(use, folder)
    if problem is None:
        return Finding("disk space", "good", f"{free_mb} MB are free in {folder}.")
    return Finding("disk space", "bad" if use.shortage() > 1 else "fair", f"{problem}.")


def sync_time(folder: Path) -> Finding:
    """How long it takes until a result is safe on the disk."""
    try:
        took_ms = statistics.median(_syncs(folder))
    except OSError as error:
        return Finding(
            "disk", "bad", f"{folder} cannot be written: {error.strerror}; choose another folder."
        )
    return judged_sync(took_ms, folder)


def judged_sync(took_ms: float, folder: Path) -> Finding:
    """Whether a write is safe in few enough ms."""
    if took_ms <= SLOW_SYNC_MS:
        return Finding("disk", "good", f"A write to {folder} is safe after {took_ms:.1f} ms.")
    return Finding(
        "disk",
        "fair",
        f"A write to {folder} is safe only after {took_ms:.0f} ms, and each result waits for one: "
        "keep the database on a local disk, not on a network's.",
    )


def _syncs(folder: Path) -> Iterator[float]:
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(_SYNCS):
            file.write(bytes(4096))
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            yield (time.perf_counter() - began) * 1000
