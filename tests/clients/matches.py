"""Matches of bots that are programs, on the real server over TCP."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import trio

from polynya_protocol.messages import Clock
from polynya_server import (
    ForfeitRecord,
    MatchRecord,
    MatchSetup,
    MemoryJournal,
    Server,
    ServerSettings,
    hash_token,
    new_token,
    open_server,
)

GENEROUS = Clock(move_ms=60_000)
"""A limit that a slow machine keeps; for bots that answer at once."""
BRISK = Clock(initial_ms=5_000, increment_ms=20)
"""For bots that think as long as they may: short turns, and a budget that a slow machine keeps."""
_MATCH_SECONDS = 600
HIDDEN_OR_JOINT: Sequence[tuple[str, Mapping[str, int]]] = (
    ("kuhn", {"hands": 4}),
    ("goofspiel", {"cards": 4}),
    ("snakes", {"size": 7, "turn_limit": 30}),
)
"""The example games with hidden cards or joint turns, for short matches: each with its options."""


@asynccontextmanager
async def table(programs: Mapping[str, Sequence[str]]) -> AsyncIterator[Server]:
    """A server with these programs connected, by name; they end when it stops, without failure."""
    tokens = {name: new_token() for name in programs}
    journal = MemoryJournal({name: hash_token(token) for name, token in tokens.items()})
    with trio.fail_after(_MATCH_SECONDS):
        async with open_server(ServerSettings(), journal) as server:
            processes = [
                subprocess.Popen(
                    command,
                    env={
                        **os.environ,
                        "POLYNYA_HOST": server.host,
                        "POLYNYA_PORT": str(server.port),
                        "POLYNYA_NAME": name,
                        "POLYNYA_TOKEN": tokens[name],
                        "POLYNYA_SEED": "1",
                    },
                )
                for name, command in programs.items()
            ]
            try:
                while len(server.connected) < len(programs):
                    await server.changed()
                yield server
            finally:
                for process in processes:
                    process.terminate()  # which says goodbye
                codes = [await trio.to_thread.run_sync(process.wait, 120) for process in processes]
            assert codes == [0] * len(programs)


async def play(programs: Mapping[str, Sequence[str]], game: str, **options: int) -> MatchRecord:
    """The record of one match between these programs, in this order."""
    return await _played(programs, game, GENEROUS, options)


async def play_briskly(
    programs: Mapping[str, Sequence[str]], game: str, **options: int
) -> MatchRecord:
    """The same between bots that think for as long as they may."""
    return await _played(programs, game, BRISK, options)


async def _played(
    programs: Mapping[str, Sequence[str]], game: str, clock: Clock, options: Mapping[str, int]
) -> MatchRecord:
    setup = MatchSetup(
        match="m1",
        game=game,
        players=tuple(programs),
        clock=clock,
        seed=7,
        options=dict(options),
    )
    async with table(programs) as server:
        return await server.play(setup)


def forfeits(record: MatchRecord) -> list[ForfeitRecord]:
    """Who has forfeited in a match."""
    return record.forfeits
