"""``polynya serve`` as users start it: at full load, at half of it, and its memory.

The bots are the load generator's, two matches each at once, connected like any other bot; like bots
on other machines they have a processor of their own. Full load is compared with the referee's own
benchmark with as many matches in play. At half of it, what the replays say is looked at: how long
after a move had arrived the next turn was handed over, and how late the server's loop was. The
ladder at half load goes on with the database of the one at full load: a bot that has not played yet
gets one match at once.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple

from benchmarks.figures import Figure
from benchmarks.load import TOKEN, bots, running
from benchmarks.processes import allow_many_files, keep_apart, resident_bytes
from benchmarks.turns import TURNS_OF_A_MATCH, referee
from polynya_server.records import TurnRecord, decode_replay
from polynya_store import Store
from polynya_store.bots import bot_repository

POLYNYA = (sys.executable, "-c", "from polynya_app import main; main()")
PART = "as started"
CLOCK = ("--move-ms", "60000")
LADDERS = (20, 200, 600, 2_000)
SHARE_OF_REFEREE = 0.6
P99_MS, PAUSE_MS = 5, 20
MATCHES_EACH = 2
WARM_UP_S = 3.0
LEAST_TURNS_PER_S, LONGEST_MATCH = 15_000, 1.5
"""Time to wait for the matches in play: for matches half as long again as the average."""
LOOK_EVERY_S = 0.05
FEW, MANY, AT_ONCE = 200, 2_200, 2
"""Connected bots whose memory is compared, and how many matches they play at once meanwhile."""
KIB_A_BOT = 6


def measure(program: Path, seconds: float) -> list[Figure]:
    """Ladders of some sizes, with their goals."""
    allow_many_files()
    figures = [figure for count in LADDERS for figure in _ladder(program, count, seconds)]
    return [*figures, _memory(program)]


def _ladder(program: Path, count: int, seconds: float) -> list[Figure]:
    name = f"ladder of {count}"
    with referee(program, count) as own:
        own.run(seconds)
        most: float = own.figures()["turns_per_second"]
    with _registered(count) as database:
        full = _played(program, database, count, 0, seconds)
        turn_s = count / (full.turns_per_s / 2)
        half = _played(program, database, count, round(1e6 * turn_s), seconds)
    share = full.turns_per_s / most
    return [
        Figure(PART, f"{name}, turns/s", full.turns_per_s, None, "higher"),
        Figure(PART, f"{name}, turns/s / the referee's own", share, SHARE_OF_REFEREE, "higher"),
        Figure(PART, f"{name}, half load: turns/s", half.turns_per_s, None, "higher"),
        Figure(PART, f"{name}, half load: ms from move to next turn, p99", half.p99_ms, P99_MS),
        Figure(PART, f"{name}, half load: ms of the longest pause", half.pause_ms, PAUSE_MS),
        Figure(PART, f"{name}, half load: bots that were refused", count - half.bots, 0),
        Figure(PART, f"{name}, half load: forfeits, or no result", half.spoiled, 0),
    ]


class _Played(NamedTuple):
    """The results of a ladder.

    Attributes:
        turns_per_s: turns that were played.
        bots: how many were connected at the end.
        spoiled: how many matches ended by a forfeit, or without a result.
        p99_ms: from a move's arrival until the next turn had been handed to the system.
        pause_ms: the largest delay of the server's loop.
    """

    turns_per_s: float
    bots: int
    spoiled: int
    p99_ms: float
    pause_ms: float


def _played(program: Path, database: Path, count: int, delay_us: int, seconds: float) -> _Played:
    """The results of a ladder of ``count`` bots after the warm-up; each thinks for ``delay_us``.

    The turns of a match are in its replay, so what was in play at the end is waited for.
    """
    turn_s = delay_us / 1e6 or count / LEAST_TURNS_PER_S
    with _serving(database, count, count) as (server, address):
        commands = bots(program, address, count, delay_us=delay_us, concurrency=MATCHES_EACH)
        with running(*commands) as players:
            keep_apart(server.pid, [player.pid for player in players])
            time.sleep(WARM_UP_S)
            begin_ms = time.time_ns() // 1_000_000
            time.sleep(seconds)
            end_ms = time.time_ns() // 1_000_000
            connected = _connected(address)
            time.sleep(LONGEST_MATCH * TURNS_OF_A_MATCH * turn_s)
            last_ms = time.time_ns() // 1_000_000
            if not delay_us:  # the ladder goes on: a match that they leave would be their fault
                server.terminate()
                server.wait(timeout=60)
    return _between(database, connected, (begin_ms, end_ms), last_ms)


def _between(database: Path, connected: int, span_ms: tuple[int, int], last_ms: int) -> _Played:
    """The play in a span, from the matches that had ended at its last moment."""
    begin_ms, end_ms = span_ms
    waits_us, pauses_us, turns = [0], [0], 0
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        documents = connection.execute(
            "SELECT document FROM replays JOIN matches ON id = match_id "
            "WHERE finished_ms BETWEEN ? AND ?",
            (begin_ms, last_ms),
        )
        for (document,) in documents:
            record = decode_replay(document)
            span_us = range(*(1000 * (ms - record.started_ms) for ms in span_ms))
            played = [event for event in record.events if isinstance(event, TurnRecord)]
            for turn, following in pairwise(played):
                if turn.last_byte_us in span_us:
                    turns += 1
                    waits_us.append(following.flushed_us - turn.last_byte_us)
                    pauses_us.append(turn.loop_delay_us)
        ((spoiled,),) = connection.execute(
            "SELECT count(*) FROM matches "
            "WHERE reason != 'finished' AND finished_ms BETWEEN ? AND ?",
            (begin_ms, last_ms),
        )
    waits_us.sort()
    p99_us = waits_us[len(waits_us) * 99 // 100]
    turns_per_s = 1000 * turns / (end_ms - begin_ms)
    return _Played(turns_per_s, connected, spoiled, p99_us / 1000, max(pauses_us) / 1000)


def _connected(address: tuple[str, int]) -> int:
    """How many connections a server holds, by the kernel's table (``proc(5)``)."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    ends = (line.split()[1:4] for line in lines)
    port = f":{address[1]:04X}"
    return sum(local.endswith(port) and state == "01" for local, _, state in ends)


def _memory(program: Path) -> Figure:
    """Memory of a connected bot, its place on the ladder included, while hardly any play."""
    few, many = (_resident(program, count) for count in (FEW, MANY))
    kib = (many - few) / (MANY - FEW) / 1024
    return Figure(PART, "ladder: KiB per connected bot", kib, KIB_A_BOT)


def _resident(program: Path, count: int) -> int:
    """The memory of a server with ``count`` connected bots."""
    with (
        _registered(count) as database,
        _serving(database, count, AT_ONCE) as (server, address),
        running(*bots(program, address, count, concurrency=MATCHES_EACH)),
    ):
        time.sleep(WARM_UP_S)
        return resident_bytes(server.pid)


@contextmanager
def _registered(count: int) -> Iterator[Path]:
    """A database with ``count`` registered bots."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "ladder.sqlite"
        with Store.open(database, for_play=True) as store, store.database.writing() as connection:
            token = sha256(TOKEN.encode()).digest()
            for number in range(count):
                bot_repository.register(connection, f"b{number}", token)
        yield database


@contextmanager
def _serving(
    database: Path, count: int, at_once: int
) -> Iterator[tuple[subprocess.Popen[bytes], tuple[str, int]]]:
    """``polynya serve`` for ``count`` bots: its process and address."""
    words = ["serve", "--port", "0", "--database", str(database), "--pace-ms", "0", *CLOCK]
    words += ["--concurrency", str(at_once), "--max-connections-per-address", str(count + 8)]
    log = database.with_suffix(".log")
    with log.open("w") as written, running_server(words, written) as server:
        yield server, _address(server, log)


@contextmanager
def running_server(words: Sequence[str], log: IO[str]) -> Iterator[subprocess.Popen[bytes]]:
    """``polynya serve``, stopped at the end of the block; it writes its log into a file."""
    server = subprocess.Popen([*POLYNYA, *words], stderr=log)
    try:
        yield server
    finally:
        server.terminate()
        server.wait(timeout=60)


def _address(server: subprocess.Popen[bytes], log: Path) -> tuple[str, int]:
    """Where it listens, as soon as it says so."""
    while server.poll() is None:
        for line in log.read_text("utf-8").splitlines():
            if line.startswith("listening on "):
                host, _, port = line.split()[-1].rpartition(":")
                return host, int(port)
        time.sleep(LOOK_EVERY_S)
    sys.exit(f"polynya serve has ended: {log.read_text('utf-8')}")
