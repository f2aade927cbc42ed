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
from typing import NamedTuple

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
MAIN = "from polynya_app import main; main()"
NAMES = ("packeis", "greedy", "random")


def measure() -> list[Figure]:
    """The figures with their goals."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "hosted.toml"
        configuration.write_text(TOURNAMENT + "".join(BOT.format(name=name) for name in NAMES))
        use = machine_use([sys.executable, "-c", MAIN, "tournament", "run", str(configuration)])
    return [
        Figure("hosted", "% of the machine's CPU for the server, start included", use.share, 10),
        Figure("hosted", "s for the tournament of 24 matches", use.seconds),
    ]


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
