"""Hostile bots: run in bubblewrap while two honest ones play on beside it, as bots of one host."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

import trio
from tests.hosting.sandbox import boxes
from tests.hosting.sandbox.boxes import Ran

from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.sandbox.control_groups import parent_of
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord
from polynya_store import Store
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.runner import RunOptions, run_tournament

HEAD = """
import contextlib, ctypes, json, mmap, os, resource, signal, socket, subprocess, sys, time
def could(deed):
    try:
        deed()
    except OSError as error:
        return error.strerror or type(error).__name__
    return "done"
libc = ctypes.CDLL(None, use_errno=True)
def call(result):
    return "done" if result >= 0 else os.strerror(ctypes.get_errno())
"""

_MORE_THAN_ENOUGH = 500


class _Neighbours(Reporter):
    """Notes the matches of the honest bots, and what went wrong with them."""

    def __init__(self) -> None:
        self.records: list[MatchRecord] = []
        self.warnings: list[str] = []
        self._more = trio.Event()

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self.records.append(record)
        self._more.set()
        self._more = trio.Event()

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)

    async def next_match(self) -> None:
        """Return when one more is over."""
        await self._more.wait()


async def run(
    folder: Path,
    program: str,
    environment: Mapping[str, str] | None = None,
    driver: str = "bubblewrap",
    **limits: int,
) -> Ran:
    """Run a Python program of this text in a sandbox, while honest bots play matches beside it.

    The program starts when the honest bots are playing. Each of their matches must end without a
    forfeit, and one of them must begin and end after the program was started.
    """
    neighbours, stop = _Neighbours(), trio.Event()
    with Store.open(folder.parent / "honest.sqlite", for_play=True, durable=False) as store:
        async with trio.open_nursery() as nursery:

            async def play() -> None:
                options = RunOptions(stop=stop, grace_ms=60_000, keep_logs=False)
                await run_tournament(_honest(folder), store, neighbours, options)

            nursery.start_soon(play)
            with trio.fail_after(120):
                await neighbours.next_match()
            ran = await boxes.run(folder, program, driver, environment, None, None, **limits)
            with trio.fail_after(120):
                await neighbours.next_match()  # begun before the program ended, or later
                await neighbours.next_match()
            stop.set()
    assert neighbours.warnings == []
    endings = {(record.reason, len(record.forfeits)) for record in neighbours.records}
    assert endings == {("finished", 0)}
    return ran


def _honest(folder: Path) -> TournamentConfiguration:
    return TournamentConfiguration(
        name="honest",
        game="packeis",
        bots=[
            BotConfiguration(name="ann", builtin="greedy"),
            BotConfiguration(name="bob", builtin="random"),
        ],
        clock=Clock(initial_ms=600_000),
        cycles=_MORE_THAN_ENOUGH,
        concurrency=1,
        database=str(folder.parent / "honest.sqlite"),
        sandbox=SandboxSettings(driver="bubblewrap"),
        start_ms=120_000,
        restarts=0,
    )


def started_for(folder: Path) -> list[str]:
    """The commands of processes, ours left out, that name a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            words = (process / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            if str(folder) in words and int(process.name) != os.getpid():
                found.append(words)
    return found


def left_groups() -> list[Path]:
    """The control groups that this process has made and that are still there."""
    parents = {parent.folder for kind in ("memory", "pids", "cpu") if (parent := parent_of(kind))}
    return [path for folder in parents for path in folder.glob(f"polynya-{os.getpid()}-*")]
