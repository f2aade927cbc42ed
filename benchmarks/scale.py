"""Costs and gains of workers: ``python -m benchmarks.scale``.

Two bots that think for a fixed processor time in each turn play the same blocks three times: in one
process, on one worker, and on two. The time counts from the first match's beginning to the last
one's end.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from polynya_server.records import decode_replay
from polynya_store import Store

POLYNYA = [sys.executable, "-c", "from polynya_app import main; main()"]

BOT = """
import os, random, time
from polynya_client import run
dice = random.Random(os.environ["POLYNYA_SEED"])
def think(turn):
    end = time.process_time() + {think_ms} / 1000
    while time.process_time() < end:
        pass
    return [dice.choice(turn.legal)]
run(think)
"""

WAYS = {
    "in one process": (),
    "one worker": ("--dask", "local", "--workers", "1"),
    "two workers": ("--dask", "local", "--workers", "2"),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One run.

    Attributes:
        seconds: from the first beginning to the last end.
        blocks: that were played.
        turns: in all.
    """

    seconds: float
    blocks: int
    turns: int


def measure(flags: Sequence[str], blocks: int, think_ms: float) -> Measured:
    """Play this number of blocks."""
    with tempfile.TemporaryDirectory() as folder:
        bots = []
        for name in ("ann", "bob"):
            home = Path(folder) / name
            home.mkdir()
            (home / "bot.py").write_text(BOT.format(think_ms=think_ms))
            bots.append(f"{sys.executable} {home / 'bot.py'}")
        database = Path(folder) / "scale.sqlite"
        command = ["match", *bots, "--games", str(2 * blocks), "--seed", "1", "--move-ms", "60000"]
        subprocess.run(
            [*POLYNYA, *command, "--database", str(database), *flags],
            check=True,
            capture_output=True,
        )
        with Store.open(database) as store:
            records = [decode_replay(document) for _, document in store.matches.replays()]
    assert len(records) == 2 * blocks
    assert not any(record.forfeits for record in records)
    began, ended = min(r.started_ms for r in records), max(r.finished_ms for r in records)
    return Measured((ended - began) / 1000, blocks, sum(len(r.events) for r in records))


def main() -> None:
    """Measure each way several times in turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--think-ms", type=float, default=50)
    chosen = parser.parse_args()
    found: dict[str, list[Measured]] = {way: [] for way in WAYS}
    for _ in range(chosen.rounds):
        for way, flags in WAYS.items():
            found[way].append(measure(flags, chosen.blocks, chosen.think_ms))
    seconds = {way: median(one.seconds for one in runs) for way, runs in found.items()}
    alone = seconds["in one process"]
    table = Table(title=f"{chosen.blocks} blocks, {chosen.think_ms:g} ms a turn")
    for heading in ("", "s a block", "time / one process", "speed / one worker"):
        table.add_column(heading, justify="right" if heading else "left")
    for way, taken in seconds.items():
        table.add_row(
            way,
            f"{taken / chosen.blocks:.2f}",
            f"{taken / alone:.2f}",
            f"{seconds['one worker'] / taken:.2f}",
        )
    table.add_row("goal", "", "one worker: ≤ 1.10", "two workers: ≥ 1.6")
    Console().print(table)


if __name__ == "__main__":
    main()
