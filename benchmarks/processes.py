"""Processes that benchmarks measure: their time and memory, and what the machine took from them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from polynya_store.writer.executors import MAIN

PAGE = resource.getpagesize()


def resident_bytes(process: int | None = None) -> int:
    """The memory that a process has in use now, this one without a number."""
    statm = Path(f"/proc/{process or 'self'}/statm")
    return int(statm.read_text().split()[1]) * PAGE


def cpu_ticks(process: int) -> int:
    """Processor time of a process, without its children, in clock ticks.

    Raises:
        OSError: it is gone.
    """
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def writer_ticks(server: int) -> int:
    """The same of the process that writes a server's journal; 0 if it has none."""
    return sum(map(cpu_ticks, writers(server)))


def writers(server: int) -> list[int]:
    """The process that writes a server's journal, if it has one."""
    return [pid for pid in _children(server) if MAIN in _command(pid)]


def cpu_clock(process: int) -> Callable[[], float]:
    """Processor time of a process until now, without its children, in seconds.

    Raises:
        OSError: there is no such process.
    """
    clock = ctypes.c_int()
    if number := ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock)):
        raise OSError(number, os.strerror(number))
    return partial(time.clock_gettime, clock.value)


def _children(process: int) -> list[int]:
    """Those that a process has started and that live."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in listed.split()]


def _command(process: int) -> list[str]:
    return Path(f"/proc/{process}/cmdline").read_text().split("\0")


def keep_apart(server: int, bots: Iterable[int]) -> None:
    """Give processes that play bots the last processor for themselves, and a server the others.

    Only its first thread, in which its loop runs, is kept off it: not the process that writes its
    journal, nor what has been started before. Nothing is done where there is one processor.

    If no process is bound to a processor, Linux leaves a server's loop and the bots on the same
    processor for tens of milliseconds, with the other one of two idle. It hardly looks for an idle
    processor if most are busy. Bots on other machines do not do that.
    """
    *others, last = sorted(os.sched_getaffinity(0))
    if others:
        os.sched_setaffinity(server, others)
        for process in bots:
            os.sched_setaffinity(process, {last})


class Use(NamedTuple):
    """The machine time of a command and its writer, without the bots.

    Attributes:
        cpu_seconds: of all processors.
        seconds: how long it runs.
    """

    cpu_seconds: float
    seconds: float

    @property
    def share(self) -> float:
        """Of the machine's processors, in %."""
        return 100 * self.cpu_seconds / self.seconds / (os.cpu_count() or 1)

    def more_than(self, other: Use) -> Use:
        """The difference to another command, which does the same for a shorter time."""
        return Use(self.cpu_seconds - other.cpu_seconds, self.seconds - other.seconds)


def machine_use(command: Sequence[str]) -> Use:
    """The resources of a command, its start included."""
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        ticks = _last_ticks(process)
    seconds = time.perf_counter() - began
    assert process.returncode == 0, "the command failed"
    return Use(ticks / os.sysconf("SC_CLK_TCK"), seconds)


def _last_ticks(process: subprocess.Popen[bytes]) -> int:
    ticks = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):  # a bot, or the writer, that ends this moment
            ticks = max(ticks, cpu_ticks(process.pid) + writer_ticks(process.pid))
        time.sleep(0.05)
    return ticks


class Stolen:
    """The share of its processors' time since now that a virtual machine's host kept from it."""

    def __init__(self) -> None:
        self._begin = _ticks()

    def percent(self) -> float | None:
        """The part of the time, in %; None where the system does not say."""
        if self._begin is None or (now := _ticks()) is None:
            return None
        stolen, total = now[0] - self._begin[0], now[1] - self._begin[1]
        return 100 * stolen / total if total else None


def stolen_ticks() -> int | None:
    """The time that the host has kept since the system was started, of all processors together.

    None where the system does not say; only Linux does.
    """
    ticks = _ticks()
    return None if ticks is None else ticks[0]


def _ticks() -> tuple[int, int] | None:
    """Ticks of all processors together: those that were stolen, and all (``proc(5)``)."""
    try:
        first = Path("/proc/stat").read_text().partition("\n")[0]
    except OSError:
        return None
    ticks = [int(field) for field in first.split()[1:9]]
    return ticks[7], sum(ticks)


def allow_many_files() -> None:
    """As many open files as the system allows; processes started later inherit it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
