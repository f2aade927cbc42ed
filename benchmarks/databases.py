"""Databases: 50 matches begun and ended in one transaction, in a file and on a PostgreSQL server.

``python -m benchmarks.databases URL`` plays into an empty database of a server of yours; without
the URL into one of a private server, if PostgreSQL's programs are installed.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.postgresql import postgresql_server
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_common.database_address import DatabaseAddress, database_address
from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, Store
from polynya_store.matches.match_recording import begin_matches, finish_matches

MATCHES = 50
ROUNDS = 100
BOTS = 20


def measure(file: DatabaseAddress, url: DatabaseAddress) -> tuple[list[float], list[float]]:
    """Begun and ended, ms a transaction: the best of the file and of the server, in turns.

    The best, because a transaction on a server waits for other processes: where those of
    neighbours are in the way, a median measures them.
    """
    with Store.open(file, for_play=True) as first, Store.open(url, for_play=True) as second:
        took: list[list[list[float]]] = [[[], []], [[], []]]
        for number in range(ROUNDS):
            for side, store in enumerate((first, second)):
                begun, ended = _round(store, number)
                took[side][0].append(begun)
                took[side][1].append(ended)
    best = [[min(found) for found in side] for side in took]
    return best[0], best[1]


def _round(store: Store, number: int) -> tuple[float, float]:
    names = [f"ladder-{number * MATCHES + match}" for match in range(1, MATCHES + 1)]
    pairs = [(f"bot{match % BOTS}", f"bot{(match + 1) % BOTS}") for match in range(MATCHES)]
    attempts = [
        Attempt(setup_of(name, *pair), RatingSettings())
        for name, pair in zip(names, pairs, strict=True)
    ]
    setups = []
    begun = _timed(lambda: setups.extend(store.batches.transact([(begin_matches, attempts)])))
    records = [record_of(setup, [1, 2]) for setup in setups]
    ended = _timed(lambda: store.batches.transact([(finish_matches, records)]))
    return begun, ended


def _timed(call: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began_s)


def main(*words: str) -> None:
    """Print both, and their ratio."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url: DatabaseAddress
        if words:
            url = database_address(words[0])
        else:
            url = stack.enter_context(postgresql_server({"fsync": "on"})).empty()
        file, server = measure(folder / "benchmark.sqlite", url)
    for what, one, other in zip(("begun", "ended"), file, server, strict=True):
        print(
            f"{MATCHES} matches {what}: {one:.1f} ms in a file, {other:.1f} ms on the server, "
            f"ratio {other / one:.2f}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
