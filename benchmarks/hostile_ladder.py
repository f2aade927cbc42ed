"""The cost of hostile bots for honest ones on a ladder: ``python -m benchmarks.hostile_ladder``.

Eight honest bots answer after 20 ms, on ``polynya serve --pace-ms 0``, with all else as it is by
default. They play for a few seconds first, as on a ladder that has been going on; then four hostile
ones of a kind come. The matches that the honest finish are compared with those that they finish in
as long a time alone, measured just before with a server of its own, so that what else the machine
has to do weighs on both. Every server begins with an empty database.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.hostile_bots import KINDS
from polynya_store import Store

HONEST, HOSTILE = 8, 4
GOAL = 0.9
SHARE = HONEST / (HONEST + HOSTILE)
"""The goal beside slow bots: these have an equal share of the time."""
WARM_UP_S = 5.0
ALL = "all together"
FLAGS = {"slow": ("--initial-ms", "6000", "--increment-ms", "0")}
"""Settings of the server for a kind: with the usual clock no match with a slow bot would end."""


@contextlib.contextmanager
def bots(port: str, kind: str, count: int) -> Iterator[None]:
    """A number of bots of one kind."""
    name = kind.replace(" ", "-")
    command = [sys.executable, "-m", "benchmarks.hostile_bots", port, kind, str(count), name]
    with subprocess.Popen(command) as process:
        try:
            yield
        finally:
            process.kill()


@contextlib.contextmanager
def ladder(database: Path, *flags: str) -> Iterator[str]:
    """A standing server: its port."""
    command = [str(Path(sys.executable).with_name("polynya")), "serve", "--port", "0"]
    command += ["--pace-ms", "0", "--open-registration", "--database", str(database), *flags]
    with (
        (database.parent / "server.log").open("wb") as log,
        subprocess.Popen(command, stderr=log) as process,
    ):
        try:
            yield _port(database.parent / "server.log")
        finally:
            process.kill()


def _port(log: Path) -> str:
    for _ in range(600):
        if found := re.search(r"^listening on .*:(\d+)$", log.read_text("utf-8"), re.MULTILINE):
            return found[1]
        time.sleep(0.1)
    raise TimeoutError(f"the server has not begun to listen: {log.read_text('utf-8')}")


def finished(kinds: Sequence[str], seconds: float, flags: Sequence[str] = ()) -> int:
    """How many matches the honest finish beside these; a match of two of them counts twice."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "ladder.sqlite"
        with contextlib.ExitStack() as stack:
            port = stack.enter_context(ladder(database, *flags))
            stack.enter_context(bots(port, "honest", HONEST))
            time.sleep(WARM_UP_S)
            begin_ms = time.time_ns() // 1_000_000
            for kind in kinds:
                stack.enter_context(bots(port, kind, HOSTILE))
            time.sleep(seconds)
            end_ms = begin_ms + int(1000 * seconds)
        with Store.open(database) as store:
            rows = [
                row
                for row in store.matches.find()
                if row.reason == "finished" and begin_ms < (row.finished_ms or 0) <= end_ms
            ]
    return sum(seat.name.startswith("honest-") for row in rows for seat in row.seats)


def main() -> int:
    """Measure, and print a table; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("kinds", nargs="*", help=f"some of {', '.join([*KINDS, ALL])}")
    arguments = parser.parse_args()
    reached = True
    print("| four hostile bots, each of which | alone | beside them | ratio |\n|---|---|---|---|")
    for kind in arguments.kinds or [*KINDS, ALL]:
        flags = FLAGS.get(kind, ())
        alone = finished([], arguments.seconds, flags)
        beside = finished(
            [one for one in KINDS if one not in FLAGS] if kind == ALL else [kind],
            arguments.seconds,
            flags,
        )
        ratio = beside / alone
        reached &= ratio >= (SHARE if kind == "slow" else GOAL)
        meaning = "of each kind" if kind == ALL else KINDS[kind]
        print(f"| {kind}: {meaning} | {alone} | {beside} | {ratio:.2f} |", flush=True)
    return int(not reached)


if __name__ == "__main__":
    sys.exit(main())
