"""Servers that are measured in turns, a moment each, while the others stand still.

The same program makes a third more turns in one minute than in the next on a virtual machine,
because others share its processors and caches. Measurements one after the other, for seconds
each, therefore say which minute was the better one. Here all that are to be compared are started
first; then each runs for a second, again and again, and the others are stopped by a signal.
A neighbour that takes time in some minute takes it from all of them.

If a server stands still, its clocks run on, as if its machine stood still: matches last longer on
the wall, and so its transactions are as rare as those of long matches are. Bots stand still too, so
they owe their moves for some seconds, of a minute.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks import load
from benchmarks.processes import keep_apart

WINDOW_S = 1.0
SETTLE_S = 0.3
"""Time that a server is left alone when it goes on: it has its caches to fill again, and with 1,000
matches in play each has its turn within that time."""

Commands = Callable[[tuple[str, int]], list[list[str]]]
"""The load for a server at an address."""


@dataclass
class Contender:
    """A server and its load, one group of processes that runs or stands still.

    Attributes:
        windows: when it was measured, in seconds since 1970.
    """

    process: subprocess.Popen[str]
    windows: list[tuple[float, float]] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        """It goes on for as long as the block lasts."""
        os.killpg(self.process.pid, signal.SIGCONT)
        try:
            yield
        finally:
            os.killpg(self.process.pid, signal.SIGSTOP)

    def run(self, seconds: float) -> None:
        """Let it go on for so long, and measure that."""
        with self.running():
            time.sleep(SETTLE_S)
            begin = time.time()
            time.sleep(seconds)
            self.windows.append((begin, time.time()))

    def line(self) -> str:
        """The next line that it prints.

        Raises:
            RuntimeError: it has ended instead.
        """
        assert self.process.stdout is not None
        if not (line := self.process.stdout.readline()):
            raise RuntimeError(f"{self.process.args!r} has ended")
        return line

    def figures(self) -> dict[str, Any]:
        """Its report about the windows."""
        assert self.process.stdin is not None
        with self.running():
            print(json.dumps(self.windows), file=self.process.stdin, flush=True)
            found: dict[str, Any] = json.loads(self.line())
        return found


@contextmanager
def contender(
    commands: Commands,
    module: str,
    *arguments: object,
    apart: bool = False,
    interpreted: bool = False,
) -> Iterator[Contender]:
    """A server and its load; it stands still when its load is all there and it plays.

    Args:
        commands: the load.
        module: the server.
        *arguments: its own.
        apart: whether the load has a processor of its own.
        interpreted: whether the server runs from the checkout, without ``PYTHONPATH``.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    pipe = subprocess.PIPE
    left_out = {"PYTHONPATH"} if interpreted else set()
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, process_group=0, env=environment
    ) as process:
        try:
            started = Contender(process)
            address = ("127.0.0.1", int(started.line()))
            with load.running(*commands(address), process_group=process.pid) as bots:
                if apart:
                    keep_apart(process.pid, [each.pid for each in bots])
                started.line()
                os.killpg(process.pid, signal.SIGSTOP)
                yield started
        finally:
            os.killpg(process.pid, signal.SIGKILL)
