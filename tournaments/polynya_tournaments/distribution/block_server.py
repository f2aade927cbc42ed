"""Plays the tasks of a worker, and keeps the bots' processes for more blocks of the same bots."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import trio

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Cause
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_foreign.folders import use
from polynya_foreign.rules_box import box_rules
from polynya_games import UnknownGame, load
from polynya_hosting.bots.process_reports import ProcessReports
from polynya_hosting.bots.sandboxed_bots import usable_sandbox
from polynya_hosting.bots.supervised_process import HostServer
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.selection import words_of
from polynya_protocol.errors import printable
from polynya_protocol.messages import RatingChange
from polynya_server import open_server
from polynya_server.records import (
    MachineLoad,
    MatchRecord,
    MatchSetup,
    MemoryJournal,
    encode_replay,
)
from polynya_server.timing.machine_load import LoadMeter
from polynya_tournaments.distribution.block_messages import (
    BlockResult,
    BlockTask,
    bots_key,
    decode_task,
    encode,
)
from polynya_tournaments.distribution.bot_archives import UnpackedBots, local_sandbox
from polynya_tournaments.tournament.hosted_blocks import HostedBlocks, HostedRun, number_of

KEEP_S: Final = 5.0
"""How long the processes of bots are kept for a further block."""

_METER: Final = LoadMeter(time.monotonic_ns)
"""Of all blocks: the server of one has not measured long enough when its first match ends."""

_tried: dict[bytes, Sandbox] = {}
_MOST_TRIED = 1_000


class WorkerName(NamedTuple):
    """The worker that plays blocks, as results name it."""

    name: str
    address: str


class BlockServer:
    """Plays tasks one after another.

    Args:
        worker: the worker that the tasks were sent to.
        bots: those that it has unpacked.
        answer: called with the encoded result of each task.

    Attributes:
        in_play: whether a task has no answer yet.
    """

    def __init__(
        self, worker: WorkerName, bots: UnpackedBots, answer: Callable[[bytes], Awaitable[None]]
    ) -> None:
        self.in_play = False
        self._worker = worker
        self._bots = bots
        self._answer = answer

    async def serve(self, tasks: trio.MemoryReceiveChannel[bytes]) -> None:
        """Play encoded tasks until the channel is closed."""
        task = await _next(tasks)
        while task is not None:
            self.in_play = True
            task = await self._play_alike(task, tasks) or await _next(tasks)

    async def _play_alike(
        self, task: BlockTask, tasks: trio.MemoryReceiveChannel[bytes]
    ) -> BlockTask | None:
        """Play tasks of the same bots, until the bots are kept no longer.

        Returns:
            The first task of other bots; None if none has come yet.
        """
        following: BlockTask | None = None
        try:
            await trio.to_thread.run_sync(self._check_game, task)
            with tempfile.TemporaryDirectory(prefix="polynya-block-") as empty:
                os.chmod(empty, 0o755)  # noqa: S103 - bots in a sandbox are another user
                found = tuple(self._bots.configuration(bot, Path(empty)) for bot in task.bots)
                async with _open_referee(task, self._worker, found, empty) as referee:
                    result = await referee.play(task)
                    while referee.keeps_bots:
                        await self._give(result)
                        following = await _next(tasks, KEEP_S)
                        if following is None or bots_key(following) != bots_key(task):
                            break
                        self.in_play, task, following = True, following, None
                        result = await referee.play(task)
        except ConfigurationError as error:
            result = self._unplayed(refused=f"{self._worker.name}: {error}")
        except (TournamentError, OSError) as error:
            result = self._unplayed(failed=str(error))
        except Exception as error:
            result = self._unplayed(failed=f"an error of the server: {printable(repr(error))}")
        if self.in_play:
            await self._give(result)
        return following

    def _check_game(self, task: BlockTask) -> None:
        """Load the game; that of a folder is listed for the processes that this one starts.

        Raises:
            ConfigurationError: this worker cannot play it.
        """
        try:
            if task.game_archive is not None:
                use(self._bots.path(task.game_archive))
            game = load(task.setups[0].game)
        except UnknownGame as error:
            raise ConfigurationError(str(error)) from error
        box_rules(game.name, local_sandbox(task.sandbox))

    async def _give(self, result: BlockResult) -> None:
        await self._answer(encode(result))
        self.in_play = False

    def _unplayed(self, failed: str | None = None, refused: str | None = None) -> BlockResult:
        name, address = self._worker
        return BlockResult(worker=name, address=address, failed=failed, refused=refused)


async def _next(
    tasks: trio.MemoryReceiveChannel[bytes], seconds: float = float("inf")
) -> BlockTask | None:
    """The next task; None if none comes in time, or none can."""
    with suppress(trio.EndOfChannel), trio.move_on_after(seconds):
        return decode_task(await tasks.receive())
    return None


async def _tried_sandbox(task: BlockTask, configuration: TournamentConfiguration) -> Sandbox:
    """The sandbox, after each bot was tried in it once by this process."""
    key = encode((task.sandbox, task.bots))
    if key not in _tried:
        if len(_tried) >= _MOST_TRIED:
            _tried.clear()
        _tried[key] = await usable_sandbox(configuration)
    return _tried[key]


def _configuration(
    task: BlockTask, bots: Sequence[BotConfiguration], empty: str
) -> TournamentConfiguration:
    first = task.setups[0]
    return TournamentConfiguration(
        name=task.tournament,
        game=first.game,
        bots=list(bots),
        clock=first.clock,
        options=first.options,
        players=len(first.players),
        concurrency=1,
        fresh_processes=task.fresh_processes,
        database=str(Path(empty) / "nothing.sqlite"),
        start_ms=task.start_ms,
        restarts=task.restarts,
        server=task.server,
        sandbox=local_sandbox(task.sandbox),
    )


class _BlockJournal(MemoryJournal):
    """Remembers the records of a block, and shows each as soon as its match is over."""

    def __init__(self) -> None:
        super().__init__()
        self._watchers: list[Callable[[MatchRecord], None]] = []

    @contextmanager
    def watching_records(self, note: Callable[[MatchRecord], None]) -> Iterator[None]:
        """Call ``note`` with the record of each match that ends, until the context exits."""
        self._watchers.append(note)
        try:
            yield
        finally:
            self._watchers.remove(note)

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """Remember the record; nothing is rated."""
        for note in self._watchers:
            note(record)
        return await super().finish(record)


class _Incidents:
    """Notes on the bots of the blocks that are played.

    Attributes:
        seeds: the ``POLYNYA_SEED`` of each bot by name, by the number of the match.
        warnings: sentences about the bots.
        given_up: a sentence for each bot that could not be started again.
        processes: what the bots' processes did in each match, by its id and by seat.
    """

    def __init__(self) -> None:
        self.seeds: Mapping[str, Mapping[str, int]] = {}
        self.warnings: list[str] = []
        self.given_up: dict[str, Cause] = {}
        self.processes: dict[str, dict[int, ProcessReport]] = {}

    def bot_seed(self, name: str, number: int | None) -> int:
        """See :data:`~polynya_tournaments.tournament.hosted_blocks.BotSeed`."""
        return self.seeds[str(number)][name]

    def give_up(self, name: str, why: Cause) -> None:
        """Note that a bot is not started again."""
        self.given_up.setdefault(name, why)

    async def note_processes(self, match: str, reports: Mapping[int, ProcessReport]) -> None:
        """Note what the processes of a match did."""
        await trio.lowlevel.checkpoint()
        self.processes[match] = dict(reports)


class _Referee:
    """A server on which blocks of the same bots are played, one after another.

    Args:
        worker: see :class:`BlockServer`.
        blocks: plays them.
        journal: the server's.
        reports: of the bots' processes.
        incidents: notes on the bots.
        words: the sandbox with its limits, for records.
    """

    def __init__(
        self,
        worker: WorkerName,
        blocks: HostedBlocks,
        journal: _BlockJournal,
        reports: ProcessReports,
        incidents: _Incidents,
        words: str,
    ) -> None:
        self._worker = worker
        self._blocks = blocks
        self._journal = journal
        self._reports = reports
        self._incidents = incidents
        self._words = words
        self._loads: dict[str, MachineLoad] = {}

    @property
    def keeps_bots(self) -> bool:
        """Whether the processes can play a further block."""
        return not (self._blocks.fresh or self._incidents.given_up)

    async def play(self, task: BlockTask) -> BlockResult:
        """Play a block until its end, or until a bot cannot go on or the rules fail."""
        begin_s = time.monotonic()
        self._incidents.seeds = task.bot_seeds
        async with self._reports.keeping(self._journal.watching_records):
            if task.only_starts:
                await self._blocks.starts(task.bots[0].name, task.setups[0])
            else:
                await self._play(task.setups)
        return self._result(time.monotonic() - begin_s)

    async def _play(self, setups: Sequence[MatchSetup]) -> None:
        players = setups[0].players
        async with self._blocks.open(players) as block:
            for setup in setups:
                number = number_of(setup.match)
                if self._incidents.given_up or not await block.ready(setup.players, number):
                    break
                titled = msgspec.structs.replace(setup, sandboxes=(self._words,) * len(players))
                begin = _METER.sample()
                [record] = await block.play([titled])
                if (load := _METER.since(begin)) is not None:
                    self._loads[setup.match] = load
                if record is not None and record.rules_failed:
                    break

    def _result(self, seconds: float) -> BlockResult:
        """The result of the last block, which is then forgotten."""
        incidents = self._incidents
        result = BlockResult(
            worker=self._worker.name,
            address=self._worker.address,
            replays=tuple(encode_replay(self._named(one)) for one in self._journal.records),
            processes=dict(incidents.processes),
            warnings=tuple(incidents.warnings),
            given_up=dict(incidents.given_up),
            seconds=seconds,
        )
        for noted in (
            self._journal.records, incidents.processes, incidents.warnings, self._loads
        ):  # fmt: skip
            noted.clear()
        return result

    def _named(self, record: MatchRecord) -> MatchRecord:
        """The record with the name of the worker, and how busy its machine was."""
        machine = record.machine or self._loads.get(record.setup.match)
        return msgspec.structs.replace(record, worker=self._worker.name, machine=machine)


@asynccontextmanager
async def _open_referee(
    task: BlockTask, worker: WorkerName, bots: Sequence[BotConfiguration], empty: str
) -> AsyncIterator[_Referee]:
    """Open a server for blocks like this one; its bots end when the context exits.

    Raises:
        ConfigurationError: the sandbox does not work on this machine.
    """
    configuration = _configuration(task, bots, empty)
    sandbox = await _tried_sandbox(task, configuration)
    words = words_of(sandbox, configuration.sandbox.limits)
    settings = msgspec.structs.replace(configuration.server, host="127.0.0.1", port=0)
    journal, incidents = _BlockJournal(), _Incidents()
    async with open_server(settings, journal) as server, trio.open_nursery() as nursery:
        warn = incidents.warnings.append
        reports = ProcessReports(server.turns_of, incidents.note_processes, warn)
        run = HostedRun(
            configuration, configuration.bots, incidents.bot_seed, warn, incidents.give_up
        )
        blocks = HostedBlocks(
            run,
            server,
            server,
            HostServer.of(server, sandbox, words, reports),
            nursery,
            keep_logs=False,
            pinned=False,  # the worker's other blocks would be pinned to the same cores
        )
        yield _Referee(worker, blocks, journal, reports, incidents, words)
        await blocks.end_kept()
        await server.stop(0, "finished")
        nursery.cancel_scope.cancel()
