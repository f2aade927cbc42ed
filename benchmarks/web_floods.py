"""The cost of floods of the web pages for the matches: ``python -m benchmarks.web_floods``.

Eight honest bots answer after 20 ms, on ``polynya serve --pace-ms 0 --web-port``. In turns they are
alone and beside a flood, so that what else the machine has to do weighs on both; the matches that
they finish are compared. Each kind has a server of its own with an empty database.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.hostile_ladder import GOAL, HONEST, WARM_UP_S, bots, ladder
from benchmarks.web_flooders import KINDS
from polynya_store import Store

SETTLE_S = 1.0
"""After a change from alone to beside a flood, or back, nothing is counted for so long."""


@contextlib.contextmanager
def flood(port: int, kind: str) -> Iterator[None]:
    """A flood of a kind, while the block lasts."""
    command = [sys.executable, "-m", "benchmarks.web_flooders", str(port), kind]
    with subprocess.Popen(command) as process:
        try:
            yield
        finally:
            process.kill()


def finished(kind: str, rounds: int, seconds: float) -> tuple[int, int]:
    """How many matches the honest finish alone and beside a flood."""
    windows: dict[bool, list[tuple[int, int]]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        database = Path(folder) / "ladder.sqlite"
        web_port = _free_port()
        port = stack.enter_context(ladder(database, "--web-port", str(web_port)))
        stack.enter_context(bots(port, "honest", HONEST))
        time.sleep(WARM_UP_S)
        for number in range(2 * rounds):
            flooded = number % 2 == 1
            with flood(web_port, kind) if flooded else contextlib.nullcontext():
                time.sleep(SETTLE_S)
                begin_ms = time.time_ns() // 1_000_000
                time.sleep(seconds)
                windows[flooded].append((begin_ms, begin_ms + int(1000 * seconds)))
        with Store.open(database) as store:
            ends = [
                row.finished_ms or 0 for row in store.matches.find() if row.reason == "finished"
            ]
    alone, beside = (
        sum(begin < end <= close for end in ends for begin, close in windows[flooded])
        for flooded in (False, True)
    )
    return alone, beside


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def main() -> int:
    """Measure, and print a table; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("kinds", nargs="*", help=f"some of {', '.join(KINDS)}")
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    worst = 1.0
    print("| flood: clients | alone | beside it | ratio |\n|---|---|---|---|")
    for kind in arguments.kinds or KINDS:
        alone, beside = finished(kind, arguments.rounds, arguments.seconds)
        worst = min(worst, beside / alone)
        print(f"| {kind}: {KINDS[kind]} | {alone} | {beside} | {beside / alone:.2f} |", flush=True)
    return int(worst < GOAL)


if __name__ == "__main__":
    sys.exit(main())
