"""The server under load: real Packeis, real clocks, results and replays written to SQLite.

``python -m benchmarks.referee MATCHES SECONDS DATABASE`` prints its port, waits for two bots a
match, keeps that many matches in play for the time, and prints one JSON object. A match that ends
is followed by the next one between the same two bots.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
import structlog
import trio

from benchmarks.load import TOKEN
from polynya_protocol.messages import Clock
from polynya_server import MatchRecord, MatchSetup, Server, ServerSettings, TurnRecord, open_server
from polynya_tournaments.rating import RatingSettings
from polynya_tournaments.store import Attempt, Store, StoreJournal, open_journal

CLOCK = Clock(initial_ms=60_000, increment_ms=1_000, move_ms=30_000)


@dataclass
class Load:
    """The matches that are kept in play, and what was recorded of them."""

    server: Server
    journal: StoreJournal
    report: Callable[[str], None] = lambda _match: None
    going: bool = True
    records: list[MatchRecord] = field(default_factory=list)

    async def keep_playing(self, pair: int) -> None:
        """One match after the other between bots ``2 pair`` and ``2 pair + 1``."""
        names = (f"b{2 * pair}", f"b{2 * pair + 1}")
        for number in itertools.count():
            if not self.going:
                return
            setup = MatchSetup(
                match=f"load-{pair}-{number}",
                game="packeis",
                players=names,
                clock=CLOCK,
                seed=pair * 1_000_003 + number,
            )
            setup = await self.journal.begin(Attempt(setup, RatingSettings()))
            self.records.append(await self.server.play(setup))
            self.report(setup.match)


@dataclass
class Watch:
    """What is seen of the process while it is measured: the loop's pauses and the transactions."""

    pauses_s: list[float] = field(default_factory=list)
    committed: list[float] = field(default_factory=list)

    async def note_pauses(self) -> None:
        """How late the loop calls who asked to be called in a millisecond."""
        while True:
            due = trio.current_time() + 0.001
            await trio.sleep_until(due)
            self.pauses_s.append(trio.current_time() - due)

    def note_commit(self, _: sa.Connection) -> None:
        """A transaction was committed."""
        self.committed.append(time.perf_counter())

    def clear(self) -> None:
        """Begin anew."""
        self.pauses_s.clear()
        self.committed.clear()


@asynccontextmanager
async def serving(matches: int, database: Path) -> AsyncIterator[tuple[Server, StoreJournal]]:
    """A server to which two bots a match have come, and its journal on ``database``."""
    names = [f"b{number}" for number in range(2 * matches)]
    token_hash = hashlib.sha256(TOKEN.encode()).digest()
    settings = ServerSettings(max_connections_per_address=4 * matches + 8)
    with Store.open(database, for_play=True) as store:
        for name in names:
            store.set_token(name, token_hash)
        async with open_journal(store) as journal, open_server(settings, journal) as server:
            print(server.port, flush=True)
            while len(server.connected) < len(names):
                await server.changed()
            yield server, journal


async def measure(matches: int, seconds: float, database: Path) -> dict[str, float]:
    """Turns per second, CPU per turn and delays of the server with ``matches`` in play."""
    async with serving(matches, database) as (server, journal):
        load, watch = Load(server, journal), Watch()
        sa.event.listen(sa.Engine, "commit", watch.note_commit)
        async with trio.open_nursery() as nursery:
            for pair in range(matches):
                nursery.start_soon(load.keep_playing, pair)
            await trio.sleep(seconds / 5)
            nursery.start_soon(watch.note_pauses)
            begin, cpu = time.time(), time.process_time()
            await trio.sleep(seconds)
            end, cpu = time.time(), time.process_time() - cpu
            load.going = False
            pause_s, commits = max(watch.pauses_s), len(watch.committed)
            watch.clear()
            while server.in_play:
                await server.changed()
            nursery.cancel_scope.cancel()
        return {
            **_figures(load.records, begin, end, cpu),
            "loop_pause_max_ms": pause_s * 1000,
            "transactions_per_50_ms": commits / (end - begin) / 20,
        }


def _figures(records: list[MatchRecord], begin: float, end: float, cpu: float) -> dict[str, float]:
    """What the records say about the turns whose answers arrived between the two times."""
    turns, delays, charged = 0, [], []
    for record in records:
        window = (begin * 1e6 - record.started_ms * 1e3, end * 1e6 - record.started_ms * 1e3)
        played = [event for event in record.events if isinstance(event, TurnRecord)]
        for turn, following in itertools.pairwise(played):
            if window[0] <= turn.last_byte_us < window[1]:
                turns += 1
                delays.append(following.flushed_us - turn.last_byte_us)
                charged.append(turn.charged_ms)
    forfeits = sum(record.reason != "finished" for record in records)
    centiles = statistics.quantiles(delays, n=100)
    return {
        "turns_per_second": turns / (end - begin),
        "cpu_us_per_turn": cpu * 1e6 / turns,
        "move_to_turn_p50_ms": centiles[49] / 1000,
        "move_to_turn_p99_ms": centiles[98] / 1000,
        "move_to_turn_max_ms": max(delays) / 1000,
        "matches": len(records),
        "not_finished": forfeits,
    }


def quiet() -> None:
    """Log what went wrong, and to standard error."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


if __name__ == "__main__":
    quiet()
    matches, seconds, database = sys.argv[1:]
    print(json.dumps(trio.run(measure, int(matches), float(seconds), Path(database))))
