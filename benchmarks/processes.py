"""Benchmarks' servers as processes: started, asked for their port, read, and killed at the end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from polynya_store.writer.writer_process import MAIN

PAGE = resource.getpagesize()


@contextlib.contextmanager
def server(module: str, *arguments: object) -> Iterator[tuple[IO[str], tuple[str, int], int]]:
    """A module run as a server: what it prints, its address, and its process id."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout, ("127.0.0.1", int(process.stdout.readline())), process.pid
        finally:
            process.kill()


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
