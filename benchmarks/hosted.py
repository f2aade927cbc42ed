"""A tournament of hosted Python bots: how much of the machine the server takes from them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.processes import cpu_ticks, writer_ticks

TOURNAMENT = """
name = "hosted"
seed = 1
game = "packeis"
clock = { initial_ms = 1_000, increment_ms = 10 }
cycles = 4
concurrency = 4
database = "hosted.sqlite"
"""
BOT = """
[[bots]]
name = "{name}"
builtin = "{name}"
"""
MAIN = "from polynya_tournaments.cli import main; main()"
NAMES = ("packeis", "greedy", "random")


def measure() -> list[Figure]:
    """The figures with their goals."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "hosted.toml"
        configuration.write_text(TOURNAMENT + "".join(BOT.format(name=name) for name in NAMES))
        share, seconds = share_of_machine(
            [sys.executable, "-c", MAIN, "tournament", "run", str(configuration)]
        )
    return [
        Figure("hosted", "% of the machine's CPU for the server, start included", share, 10),
        Figure("hosted", "s for the tournament of 24 matches", seconds),
    ]


def share_of_machine(command: Sequence[str]) -> tuple[float, float]:
    """What a command and its writer take of the machine, without the bots, in %; and its seconds.

    Its start is included.
    """
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        ticks = _last_ticks(process)
    seconds = time.perf_counter() - began
    assert process.returncode == 0, "the command failed"
    machine_ticks = seconds * os.sysconf("SC_CLK_TCK") * (os.cpu_count() or 1)
    return 100 * ticks / machine_ticks, seconds


def _last_ticks(process: subprocess.Popen[bytes]) -> int:
    ticks = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):  # a bot, or the writer, that ends this moment
            ticks = max(ticks, cpu_ticks(process.pid) + writer_ticks(process.pid))
        time.sleep(0.05)
    return ticks
