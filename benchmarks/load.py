"""The load generator in C: compiled when a benchmark starts, run as processes of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).with_name("load.c")
TOKEN = "benchmark"
"""The one token that all bots of the generator show."""


@contextlib.contextmanager
def compiled() -> Iterator[Path]:
    """The path of the load generator's program, compiled for as long as the block lasts."""
    compiler = os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "load"
        try:
            subprocess.run([compiler, "-O2", "-o", str(program), str(SOURCE)], check=True)
        except FileNotFoundError:
            sys.exit(f"the benchmarks need a C compiler, and {compiler} is not installed")
        yield program


@contextlib.contextmanager
def running(
    *commands: list[str], process_group: int | None = None
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that run during the block and are killed at its end, of one group if given."""
    processes = [subprocess.Popen(command, process_group=process_group) for command in commands]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def bots(
    program: Path,
    address: tuple[str, int],
    count: int,
    *,
    first: int = 0,
    processes: int = 1,
    delay_us: int = 0,
    concurrency: int = 1,
) -> list[list[str]]:
    """Commands that play ``count`` bots from ``b<first>`` on, from a number of processes.

    Each plays up to ``concurrency`` matches at the same time, and takes ``delay_us`` for a turn, on
    average.
    """
    host, port = address
    commands = []
    for process in range(processes):
        share = len(range(process, count, processes))
        numbers = (port, first + process, share, processes)
        commands.append(
            [
                *(str(program), host, *map(str, numbers), TOKEN),
                *(str(delay_us), str(first + process + 1), str(concurrency)),
            ]
        )
    return commands


def echo(program: Path, address: tuple[str, int], count: int, reply_bytes: int) -> list[list[str]]:
    """The command that answers every frame on ``count`` connections."""
    host, port = address
    return [[str(program), host, str(port), "echo", str(count), str(reply_bytes)]]
