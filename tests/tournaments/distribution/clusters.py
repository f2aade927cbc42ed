"""A scheduler, workers and a coordinator of Dask as processes that a test can kill and stop."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

WAIT_S = 240
"""For what takes a few seconds on a machine that has nothing else to do."""

POLYNYA = [sys.executable, "-c", "from polynya_app import main; main()"]
CUP = """
name = "cup"
game = "packeis"
seed = 7
cycles = {cycles}
concurrency = 1
fresh_processes = true
start_ms = 120_000
clock = {{ initial_ms = 600_000 }}
database = "cup.sqlite"
dask = {{ wait_s = {wait_s} }}

[[bots]]
name = "ann"
builtin = "random"

[[bots]]
name = "bob"
builtin = "greedy"
"""


def write_cup(folder: Path, cycles: int = 4, wait_s: int = 120, more: str = "") -> Path:
    """The description of a tournament of two bots that never depends on a clock."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "cup.toml"
    path.write_text(CUP.format(cycles=cycles, wait_s=wait_s) + more)
    return path


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def wait_until(is_true: Callable[[], bool], what: str) -> None:
    """Return when something is true; a failure after ``WAIT_S``."""
    deadline = time.monotonic() + WAIT_S
    while not is_true():
        assert time.monotonic() < deadline, f"not within {WAIT_S} s: {what}"
        time.sleep(0.05)


class Cluster:
    """A scheduler with workers.

    Attributes:
        address: of the scheduler.
        scheduler: its process.
        workers: the workers' processes by name.
    """

    def __init__(
        self,
        folder: Path,
        host: str,
        port: int,
        stack: ExitStack,
        of_scheduler: Sequence[str] = (),
        of_all: Sequence[str] = (),
        ttl_s: int = 10,
    ) -> None:
        self._ttl_s = ttl_s
        self._of_scheduler = of_scheduler
        self._of_all = of_all
        self._folder = folder
        self._host = host
        self._port = port
        self._stack = stack
        self.address = f"{'tls' if of_all else 'tcp'}://{host}:{port}"
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.start_scheduler()

    def start_scheduler(self) -> None:
        """Start the scheduler, at the same address as before."""
        words = ["scheduler", "--host", self._host, "--port", str(self._port)]
        self.scheduler = self._start("scheduler", [*words, *self._of_scheduler, "--no-dashboard"])
        wait_until(self._answers, "the scheduler listens")

    def start_worker(
        self, name: str, before: Sequence[str] = (), threads: int = 1
    ) -> subprocess.Popen[bytes]:
        """Start a worker; ``before`` stands before its command."""
        words = ["worker", self.address, "--no-nanny", "--nthreads", str(threads), "--name", name]
        self.workers[name] = self._start(name, [*words, "--no-dashboard"], before)
        return self.workers[name]

    def log(self, name: str) -> str:
        """What a worker, or the scheduler, has written."""
        return (self._folder / f"{name}.log").read_text(errors="replace")

    def _start(
        self, name: str, words: Sequence[str], before: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        log = self._stack.enter_context((self._folder / f"{name}.log").open("ab"))
        environment = os.environ | {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{self._ttl_s}s"}
        module = f"distributed.cli.dask_{words[0]}"
        process = subprocess.Popen(
            [*before, sys.executable, "-m", module, *words[1:], *self._of_all],
            stdout=log,
            stderr=log,
            env=environment,
        )
        self._stack.callback(end, process)
        return process

    def _answers(self) -> bool:
        with socket.socket() as sock:
            return sock.connect_ex((self._host, self._port)) == 0


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that may be stopped, or gone."""
    process.kill()
    process.wait(WAIT_S)


@contextmanager
def cluster(
    folder: Path, *workers: str, host: str = "127.0.0.1", ttl_s: int = 10
) -> Iterator[Cluster]:
    """A scheduler and workers of these names, as long as the block lasts.

    A worker that is silent for ``ttl_s``, as at its start on a busy machine, is done without.
    """
    with ExitStack() as stack:
        found = Cluster(folder, host, free_port(), stack, ttl_s=ttl_s)
        for name in workers:
            found.start_worker(name)
        yield found


class Run:
    """``polynya tournament run`` in a process of its own.

    Args:
        description: of the tournament.
        flags: of the command.
        environment: variables that it sees besides ours.

    Attributes:
        process: it.
    """

    def __init__(
        self, description: Path, *flags: str, environment: Mapping[str, str] | None = None
    ) -> None:
        self._folder = description.parent
        self._said = self._folder / "said.txt"
        with self._said.open("ab") as said, (self._folder / "table.json").open("wb") as table:
            self.process = subprocess.Popen(
                [*POLYNYA, "tournament", "run", str(description), "--json", *flags],
                stdout=table,
                stderr=said,
                env={**os.environ, **(environment or {})},
            )

    def said(self) -> str:
        """What it has written to standard error, in one line."""
        return " ".join(self._said.read_text().split())

    def says(self, words: str) -> None:
        """Wait until it has said this."""
        wait_until(
            lambda: words in self.said() or self.process.poll() is not None, f"it says {words!r}"
        )
        assert words in self.said(), self.said()

    def code(self) -> int:
        """Wait until it ends; its exit code."""
        return self.process.wait(WAIT_S)

    def table(self) -> object:
        """The table that it has printed."""
        return json.loads((self._folder / "table.json").read_text())

    def end(self) -> None:
        """Kill it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(WAIT_S)
