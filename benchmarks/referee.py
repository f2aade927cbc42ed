"""The server under load: real Packeis, real clocks, results and replays written to SQLite.

``python -m benchmarks.referee MATCHES RAMP DATABASE [--pauses] [--without NAME]`` prints its port,
waits for two bots a match, lets that many matches begin, evenly within the RAMP's seconds, says
that they are in play, keeps them so, and prints one JSON object of its figures in the windows that
it is asked for (:mod:`benchmarks.samples`). In play are those whose turns are asked for: while one
is recorded, or begun, others between the same two bots take its place (:func:`slots`). How many
really were in play is measured too: turns a second of 1,000 matches of which 600 wait for the
database would be those of 400.

The ramp is as long as a match. Matches that all began at once would all end at once too, again and
again: no figure of a load, but of crowds.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import logging
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import structlog
import trio

from benchmarks.load import TOKEN
from benchmarks.processes import cpu_clock, writers
from benchmarks.samples import Samples, Windows, one_holds, windows
from benchmarks.undisturbed import LEAST_S, Undisturbed
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock, RatingChange
from polynya_server import MatchRecord, MatchSetup, Server, ServerSettings, TurnRecord, open_server
from polynya_server.assembly import MECHANISMS, Mechanism
from polynya_server.records import decode_replay
from polynya_store import Attempt, Store, StoreJournal, open_journal
from polynya_store.writer.executors import Batch, BatchExecutor

Counts = Callable[[float, float], bool]
"""Whether what happened between two moments (seconds since 1970) is to be counted."""

CLOCK = Clock(initial_ms=600_000, increment_ms=1_000, move_ms=300_000)
"""Generous, as is the time to get ready: servers that are compared stand still for a minute."""


WAITING = 2_000
"""How many matches may be begun or recorded beside those in play: enough for 40,000 turns a second,
700 matches, each of which waits twice for a transaction, up to 0.7 s under full load."""


def slots(matches: int) -> int:
    """How many matches each two bots have at the same time, in play or not."""
    return 2 + -(-WAITING // matches)


class WatchedBatches:
    """Carries batches out as another executor does, and notes when they were on the disk."""

    def __init__(self, executor: BatchExecutor, committed: list[float]) -> None:
        self.pack = executor.pack
        self.unpack = executor.unpack
        self._executor = executor
        self._committed = committed

    def transact(self, batch: Batch) -> list[Any]:
        """See ``BatchExecutor``."""
        results = self._executor.transact(batch)
        self._committed.append(time.time())
        return results


class WatchedStore(Store):
    """A store that is written as a server's is, and notes when its transactions were on the disk.

    Attributes:
        committed: the times, in seconds since 1970.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.committed: list[float] = []

    @property
    def batches(self) -> BatchExecutor:
        """See ``Store``."""
        return WatchedBatches(super().batches, self.committed)


class Stage:
    """A journal that lets a number of matches be in play: a match that ends makes room for another.

    Attributes:
        store: where it writes.
    """

    def __init__(self, store: WatchedStore, journal: StoreJournal, matches: int) -> None:
        self.store = store
        self._journal = journal
        self._matches = matches
        self._places = trio.Semaphore(0)
        self._in_play = 0
        self._since_s = 0.0
        self._match_seconds = 0.0

    async def open(self, ramp_s: float = 0) -> None:
        """Let the matches begin, evenly within the time."""
        begin = trio.current_time()
        for number in range(self._matches):
            await trio.sleep_until(begin + ramp_s * number / self._matches)
            self._places.release()

    def token_hashes(self) -> Mapping[str, bytes]:
        """See ``polynya_server.records.journal.Journal``."""
        return self._journal.token_hashes()

    async def register(
        self, name: str, token_hash: bytes, instead_of: bytes | None = None
    ) -> str | None:
        """See ``polynya_server.records.journal.Journal``."""
        return await self._journal.register(name, token_hash, instead_of)

    async def begin(self, setup: MatchSetup) -> MatchSetup:
        """Record a match, and wait until there is room for it."""
        begun = await self._journal.begin(Attempt(setup, RatingSettings()))
        await self._places.acquire()
        self._count(1)
        return begun

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """See ``polynya_server.records.journal.Journal``; called when the last turn was played."""
        self._count(-1)
        self._places.release()
        return await self._journal.finish(record)

    def match_seconds(self) -> float:
        """For how long the matches have been in play until now, all of them together."""
        self._count(0)
        return self._match_seconds

    def _count(self, more: int) -> None:
        now_s = trio.current_time()
        self._match_seconds += self._in_play * (now_s - self._since_s)
        self._since_s = now_s
        self._in_play += more


@dataclass
class Load:
    """The matches that are kept in play.

    Their records are not kept: a server does not keep them either, and the garbage collector would
    look through them all.
    """

    server: Server
    stage: Stage
    going: bool = True

    async def keep_playing(self, pair: int, slot: int = 0) -> None:
        """One match after the other between bots ``2 pair`` and ``2 pair + 1``."""
        names = (f"b{2 * pair}", f"b{2 * pair + 1}")
        for number in itertools.count():
            if not self.going:
                return
            setup = MatchSetup(
                match=f"load-{pair}-{slot}-{number}",
                game="packeis",
                players=names,
                clock=CLOCK,
                seed=(pair * 1_000 + slot) * 1_000_003 + number,
            )
            setup = await self.stage.begin(setup)
            await self.server.play(setup)


class Pauses:
    """When the loop came back late, looked for in each millisecond."""

    def __init__(self) -> None:
        self._pauses: list[tuple[float, float]] = []

    async def watch(self) -> None:
        """Note how late the loop calls who asked to be called in a millisecond; until cancelled."""
        while True:
            due = trio.current_time() + 0.001
            await trio.sleep_until(due)
            late, now = trio.current_time() - due, time.time()
            self._pauses.append((now - late, now))

    def within(self, windows: Windows) -> list[tuple[float, float]]:
        """Those in the windows: between these the process is stopped from outside."""
        begins, ends = zip(*windows, strict=True)
        return [pause for pause in self._pauses if one_holds(begins, ends, *pause)]


@asynccontextmanager
async def serving(
    matches: int, database: Path, without: Collection[Mechanism] = ()
) -> AsyncIterator[tuple[Server, Stage]]:
    """A server to which two bots a match have come, and its journal on ``database``."""
    names = [f"b{number}" for number in range(2 * matches)]
    token_hash = hashlib.sha256(TOKEN.encode()).digest()
    settings = ServerSettings(
        max_connections_per_address=4 * matches + 8,
        max_concurrency=slots(matches),
        ready_ms=600_000,
    )
    with WatchedStore.open(database, for_play=True) as store:
        store.start_writer_process()
        for name in names:
            store.bots.set_token(name, token_hash)
        async with open_journal(store) as journal:
            stage = Stage(store, journal, matches)
            async with open_server(settings, stage, without=without) as server:
                print(server.port, flush=True)
                while len(server.connected) < len(names):
                    await server.changed()
                yield server, stage


async def measure(
    matches: int,
    ramp_s: float,
    database: Path,
    *,
    look_for_pauses: bool,
    without: Collection[Mechanism] = (),
) -> dict[str, object]:
    """Turns per second, CPU per turn and delays of the server with ``matches`` in play.

    Looking for pauses of the loop takes some of its time: a wake-up in each millisecond.
    """
    async with serving(matches, database, without) as (server, stage):
        load, pauses, undisturbed = Load(server, stage), Pauses(), Undisturbed()
        samples = Samples(lambda: sum(server.metrics.answers.counts), _cpu_clock())
        async with trio.open_nursery() as nursery:
            for slot, pair in itertools.product(range(slots(matches)), range(matches)):
                nursery.start_soon(load.keep_playing, pair, slot)
            await stage.open(ramp_s)
            await trio.sleep(1)
            async with trio.open_nursery() as watching:
                watching.start_soon(samples.watch)
                if look_for_pauses:
                    watching.start_soon(pauses.watch)
                    watching.start_soon(undisturbed.watch)
                print("playing", flush=True)
                began_s, played_s = trio.current_time(), stage.match_seconds()
                asked = await windows()
                watching.cancel_scope.cancel()
            mean_in_play = (stage.match_seconds() - played_s) / (trio.current_time() - began_s)
            load.going = False
            while server.in_play:
                await server.changed()
            nursery.cancel_scope.cancel()
    played, paused = _played(database, asked), pauses.within(asked)
    figures: dict[str, object] = {
        **samples.figures(asked),
        "transactions_per_50_ms": _per_50_ms(stage.store.committed, asked),
        "mean_in_play": mean_in_play,
        "matches": played.matches,
        "not_finished": played.forfeits,
        **_lateness(played.delays, paused, lambda _begin, _end: True),
    }
    if undisturbed.seconds() >= LEAST_S:
        figures["undisturbed_s"] = undisturbed.seconds()
        calm = _lateness(played.delays, paused, undisturbed.holds)
        figures |= {f"undisturbed_{what}": value for what, value in calm.items()}
    return figures


def _cpu_clock() -> Callable[[], float]:
    """Processor time of this process and of its writer, in seconds."""
    (writer,) = writers(os.getpid())
    used_by_writer = cpu_clock(writer)
    return lambda: time.process_time() + used_by_writer()


def _per_50_ms(times: Sequence[float], windows: Windows) -> float:
    """How many of the times lie in the windows, in each 50 ms of these."""
    within = sum(begin <= moment < end for moment in times for begin, end in windows)
    return within / sum(end - begin for begin, end in windows) / 20


@dataclass
class Played:
    """The figures of the replays.

    Attributes:
        delays: from a move's arrival until the next turn was sent, both in seconds since 1970.
        matches: how many there are.
        forfeits: those of them that did not end by the rules.
    """

    delays: list[tuple[float, float]] = field(default_factory=list)
    matches: int = 0
    forfeits: int = 0


def _played(database: Path, windows: Windows) -> Played:
    """The turns whose answers arrived in one of the windows, where the next was sent in it too."""
    played = Played()
    begins, ends = zip(*windows, strict=True)
    with Store.open(database) as store, store.database.reading() as connection:
        for (document,) in connection.exec_driver_sql("SELECT document FROM replays"):
            record = decode_replay(document)
            played.matches += 1
            played.forfeits += record.reason != "finished"
            for arrived, sent in _delays(record):
                if one_holds(begins, ends, arrived, sent):
                    played.delays.append((arrived, sent))
    return played


def _delays(record: MatchRecord) -> Iterator[tuple[float, float]]:
    """When each move arrived, and when the next turn was sent."""
    turns = [event for event in record.events if isinstance(event, TurnRecord)]
    began = record.started_ms / 1e3
    for turn, following in itertools.pairwise(turns):
        yield began + turn.last_byte_us / 1e6, began + following.flushed_us / 1e6


def _lateness(
    delays: Sequence[tuple[float, float]],
    pauses: Sequence[tuple[float, float]],
    counts: Counts,
) -> dict[str, float]:
    """How late the server was, where it counts, in milliseconds."""
    delays_ms = [1000 * (end - begin) for begin, end in delays if counts(begin, end)]
    pauses_ms = [1000 * (end - begin) for begin, end in pauses if counts(begin, end)]
    centiles = statistics.quantiles(delays_ms, n=100)
    return {
        "move_to_turn_p50_ms": centiles[49],
        "move_to_turn_p99_ms": centiles[98],
        "move_to_turn_max_ms": max(delays_ms),
        "loop_pause_max_ms": max(pauses_ms, default=0),
    }


def quiet() -> None:
    """Log what went wrong, and to standard error."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


if __name__ == "__main__":
    quiet()
    parser = argparse.ArgumentParser()
    parser.add_argument("matches", type=int)
    parser.add_argument("ramp", type=float)
    parser.add_argument("database", type=Path)
    parser.add_argument("--pauses", action="store_true")
    parser.add_argument("--without", action="append", default=[], choices=MECHANISMS)
    asked = parser.parse_args()
    run = partial(measure, look_for_pauses=asked.pauses, without=asked.without)
    print(json.dumps(trio.run(run, asked.matches, asked.ramp, asked.database)))
