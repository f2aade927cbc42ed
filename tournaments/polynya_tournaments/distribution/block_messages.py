"""Encodes a block of matches as a task for a worker, and its results, as msgpack."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

import msgspec

from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Cause
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_server import ServerSettings
from polynya_server.records import MatchSetup


class PortableBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that can be started on any machine that has its interpreter.

    In words, values of the environment and paths ``{bot}`` stands for the folder that its archive
    was unpacked to, ``{sdk}`` for the Python SDK, ``{python}`` for the Python of the worker and
    ``{programs}`` for the folder of that Python.

    Attributes:
        name: the bot's.
        words: its command; None for a built-in bot.
        builtin: the name of a built-in bot.
        environment: variables added to the command's environment.
        directory: the working directory; None for an empty one.
        folder: what it may read in a sandbox.
        archive: SHA-256 of the archive with its files, in hexadecimal; None if it has none.
        upload: ``NAME@VERSION`` of a program that was uploaded.
    """

    name: str
    words: tuple[str, ...] | None = None
    builtin: str | None = None
    environment: dict[str, str] = {}
    directory: str | None = None
    folder: str | None = None
    archive: str | None = None
    upload: str | None = None


class BlockTask(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the matches of a block follow from.

    Attributes:
        version: the coordinator's of polynya.
        tournament: its name.
        bot_seeds: the ``POLYNYA_SEED`` of each bot by name, by the number of the match; by "None"
            if processes play many.
        setups: the matches, in the order in which they are played; each id names one attempt.
        bots: by seat of the first match.
        sandbox: what the bots run in.
        start_ms, restarts: as in the description of a tournament.
        server: the settings of the referee's server.
        game_archive: SHA-256 of the archive with the game's folder, in hexadecimal; None for a game
            that is installed on each worker.
        fresh_processes: whether each match has processes of its own.
        only_starts: the bots are started, and nothing is played.
        cores: how many cores of the worker the block needs.
    """

    version: str
    tournament: str
    bot_seeds: dict[str, dict[str, int]]
    setups: tuple[MatchSetup, ...]
    bots: tuple[PortableBot, ...]
    sandbox: SandboxSettings
    start_ms: int
    restarts: int
    server: ServerSettings
    game_archive: str | None = None
    fresh_processes: bool = False
    only_starts: bool = False
    cores: int = 1


class BlockResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a task.

    Attributes:
        worker: the name of the worker that played it, and its host; empty if none did.
        address: of the worker.
        replays: the records of its matches, as replays, in the order of the task; fewer if the
            block could not go on.
        processes: what the bots' processes did in each match, by its id and by seat.
        warnings: sentences about the bots.
        given_up: a sentence for each bot that could not be started again.
        missing: SHA-256 of the archives that the worker does not have: nothing was played.
        failed: why it could not be played, through no fault of a bot: it may be tried again.
        refused: why this worker cannot play blocks of this tournament at all.
        returned: whether another worker must play it: this one drains, and has not begun it.
        seconds: how long it was played, with the start of bots that were not kept.
    """

    worker: str
    address: str = ""
    replays: tuple[bytes, ...] = ()
    processes: dict[str, dict[int, ProcessReport]] = {}
    warnings: tuple[str, ...] = ()
    given_up: dict[str, Cause] = {}
    missing: tuple[str, ...] = ()
    failed: str | None = None
    refused: str | None = None
    returned: bool = False
    seconds: float = 0.0


encode: Final = msgspec.msgpack.Encoder().encode
decode_task: Final = msgspec.msgpack.Decoder(BlockTask).decode
decode_result: Final = msgspec.msgpack.Decoder(BlockResult).decode


def archives_of(task: BlockTask) -> set[str]:
    """The archives that a worker needs for a task."""
    found = {task.game_archive, *(bot.archive for bot in task.bots)}
    return {digest for digest in found if digest is not None}


def bots_key(task: BlockTask) -> bytes:
    """Equal for tasks of one game that the same processes of bots can play."""
    bots = sorted(task.bots, key=attrgetter("name"))
    kept_seeds = sorted(task.bot_seeds.get(str(None), {}).items())
    alike = msgspec.structs.replace(task, bots=tuple(bots), bot_seeds={}, setups=())
    first = task.setups[0]
    return encode((alike, kept_seeds, first.game, first.clock, first.options, len(first.players)))
