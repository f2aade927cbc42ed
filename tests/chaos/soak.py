"""Thousands of matches on one server, and what it holds after the first and after the last."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import trio
from benchmarks import load
from tests.chaos.campaign import free_port
from tests.chaos.processes import Contest, descriptors, resident_bytes

from polynya_server.sessions.tokens import hash_token
from polynya_store import Store

BOTS = 16
LIMIT_S = 1_800
"""After this time the suite itself has failed."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the server held when so many matches had been played.

    Attributes:
        matches: how many had a result.
        resident_bytes: the memory in use.
        descriptors: the open file descriptors, but for those of the database: they are of a pool
            that opens a few more when it has several readers at a time.
    """

    matches: int
    resident_bytes: int
    descriptors: int


@dataclass(frozen=True, slots=True)
class Soak:
    """What a soak has found.

    Attributes:
        first, last: early and at the end.
        seconds: how long it took between the two.
        exit_code: of the server that was stopped in the end.
    """

    first: Sample
    last: Sample
    seconds: float
    exit_code: int

    @property
    def growth(self) -> float:
        """The memory at the end as a multiple of that early on."""
        return self.last.resident_bytes / self.first.resident_bytes


async def soak(folder: Path, first: int, last: int) -> Soak:
    """Let bots that answer at once play on ``polynya serve``; samples after so many matches."""
    database, port = folder / "polynya.sqlite", free_port()
    with Store.open(database, for_play=True) as store:
        for number in range(BOTS):
            store.bots.set_token(f"b{number}", hash_token(load.TOKEN))
    arguments = ["serve", "--port", str(port), "--database", str(database), "--seed", "1"]
    contest = Contest([*arguments, "--move-ms", "60000", "--pace-ms", "0"], folder / "contest.log")
    with load.compiled() as program:
        await contest.start()
        try:
            with (
                trio.fail_after(LIMIT_S),
                load.running(*load.bots(program, ("127.0.0.1", port), BOTS)),
            ):
                early = await _sample(contest, database, first)
                began = time.monotonic()
                late = await _sample(contest, database, last)
                seconds = time.monotonic() - began
                exit_code = await contest.stop()
        except BaseException:
            with trio.CancelScope(shield=True):
                await contest.kill()
            raise
    return Soak(early, late, seconds, exit_code)


async def _sample(contest: Contest, database: Path, matches: int) -> Sample:
    process = contest.process.pid
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reader:
        while (played := _played(reader)) < matches:
            await trio.sleep(0.05)
    return Sample(played, resident_bytes(process), descriptors(process, str(database)))


def _played(reader: sqlite3.Connection) -> int:
    [(count,)] = reader.execute("SELECT COUNT(*) FROM replays").fetchall()
    return int(count)
