"""Storing: what was reported as finished is in the database after ``kill -9``.

``python -m benchmarks.killed MATCHES DATABASE`` prints its port and then the id of each match whose
result its bots have been told, until it is killed.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

import trio

from benchmarks import load
from benchmarks.figures import Figure
from benchmarks.processes import server
from benchmarks.referee import Load, quiet, serving
from polynya_store import Store

REPORTED = 500


async def play(matches: int, database: Path) -> None:
    """Keep matches in play, and print each that was reported."""
    async with serving(matches, database) as (running, stage), trio.open_nursery() as nursery:
        kept = Load(running, stage, report=lambda match: print(match, flush=True))
        for pair in range(matches):
            nursery.start_soon(kept.keep_playing, pair)
        await stage.open()


def measure(program: Path, matches: int = 64) -> list[Figure]:
    """The figures with their goals."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "benchmark.sqlite"
        with (
            server("benchmarks.killed", matches, database) as (out, address, process),
            load.running(*load.bots(program, address, 2 * matches)),
        ):
            reported = [out.readline().strip() for _ in range(REPORTED)]
            os.kill(process, signal.SIGKILL)
        with Store.open(database, for_play=True) as store:
            stored = {row.match for row in store.matches.find() if row.reason == "finished"}
            lost = [
                match
                for match in reported
                if match not in stored or not store.matches.replay(match)
            ]
    return [Figure("storing", f"of {REPORTED} reported matches lost by kill -9", len(lost), 0)]


if __name__ == "__main__":
    quiet()
    trio.run(play, int(sys.argv[1]), Path(sys.argv[2]))
