"""The process beside a worker that referees blocks: it takes one task after another over its pipes.

A bot that uses up the machine's memory, or kills all processes that it can, ends this process and
not the worker. The process ends with the worker: at the end of its input it ends all its children.
"""

from __future__ import annotations

import os
import struct
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
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
from polynya_hosting.bots.process_reports import ProcessReports
from polynya_hosting.bots.sandboxed_bots import usable_sandbox
from polynya_hosting.bots.supervised_process import HostServer
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.selection import words_of
from polynya_protocol.errors import printable
from polynya_protocol.messages import RatingChange
from polynya_server import Server, open_server
from polynya_server.records import (
    MachineLoad,
    MatchRecord,
    MemoryJournal,
    encode_replay,
)
from polynya_server.timing.machine_load import LoadMeter
from polynya_tournaments.distribution.block_messages import (
    BlockResult,
    BlockTask,
    decode_task,
    encode,
)
from polynya_tournaments.distribution.bot_archives import UnpackedBots, local_sandbox
from polynya_tournaments.tournament.hosted_blocks import HostedBlocks, HostedRun, number_of

HEADER: Final = struct.Struct(">I")
"""Before each frame: its length in bytes. An empty one says that the process is alive."""

ALIVE_S: Final = 1.0
_METER: Final = LoadMeter(time.monotonic_ns)
"""Of all blocks: the server of one has not measured long enough when its first match ends."""


_tried: dict[bytes, Sandbox] = {}
_MOST_TRIED = 1_000


class _Worker(NamedTuple):
    """The worker that this process belongs to."""

    name: str
    address: str


def main() -> None:
    """Serve the worker that has started this process; ``sys.argv`` names it and its folder."""
    name, address, folder = sys.argv[1:]
    # Other writers to standard output must not put bytes among the frames.
    output = os.dup(1)
    os.dup2(2, 1)
    trio.run(_serve, _Worker(name, address), Path(folder), os.dup(0), output)


async def _serve(worker: _Worker, folder: Path, source: int, target: int) -> None:
    bots = UnpackedBots(folder)
    async with (
        trio.lowlevel.FdStream(source) as reader,
        trio.lowlevel.FdStream(target) as writer,
        trio.open_nursery() as nursery,
    ):
        pipe = _Pipe(reader, writer)
        nursery.start_soon(pipe.say_alive)
        send, tasks = trio.open_memory_channel[bytes](1)
        nursery.start_soon(pipe.read_tasks, send, nursery.cancel_scope)
        async for task in tasks:
            result = await _played(decode_task(task), worker, bots)
            await pipe.write(encode(result))


class _Pipe:
    """Frames from and to the worker."""

    def __init__(self, reader: trio.lowlevel.FdStream, writer: trio.lowlevel.FdStream) -> None:
        self._reader = reader
        self._writer = writer
        self._writing = trio.Lock()

    async def read_tasks(self, send: trio.MemorySendChannel[bytes], over: trio.CancelScope) -> None:
        """Pass tasks on; at the end of the input, the worker's, everything is over."""
        while (header := await self._exactly(HEADER.size)) is not None:
            frame = await self._exactly(*HEADER.unpack(header))
            if frame is None:
                break
            await send.send(frame)
        over.cancel()

    async def _exactly(self, size: int) -> bytes | None:
        found = bytearray()
        while len(found) < size:
            chunk = await self._reader.receive_some(size - len(found))
            if not chunk:
                return None
            found += chunk
        return bytes(found)

    async def write(self, frame: bytes) -> None:
        """Write a frame."""
        async with self._writing:
            await self._writer.send_all(HEADER.pack(len(frame)) + frame)

    async def say_alive(self) -> None:
        """Write an empty frame each second, until cancelled."""
        while True:
            await self.write(b"")
            await trio.sleep(ALIVE_S)


async def _played(task: BlockTask, worker: _Worker, bots: UnpackedBots) -> BlockResult:
    block = _Block(task, worker)
    try:
        with tempfile.TemporaryDirectory(prefix="polynya-block-") as empty:
            os.chmod(empty, 0o755)  # noqa: S103 - bots in a sandbox are another user
            found = tuple(bots.configuration(bot, Path(empty)) for bot in task.bots)
            await block.play(_configuration(task, found, empty))
    except ConfigurationError as error:
        return BlockResult(
            worker=worker.name, address=worker.address, refused=f"{worker.name}: {error}"
        )
    except (TournamentError, OSError) as error:
        failed = str(error)
    except Exception as error:
        failed = f"an error of the server: {printable(repr(error))}"
    else:
        return block.result()
    return BlockResult(worker=worker.name, address=worker.address, failed=failed)


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
        fresh_processes=True,
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


class _Block:
    """The matches of a task, as far as they have been played."""

    def __init__(self, task: BlockTask, worker: _Worker) -> None:
        self._task = task
        self._worker = worker
        self._journal = _BlockJournal()
        self._processes: dict[str, dict[int, ProcessReport]] = {}
        self._warnings: list[str] = []
        self._given_up: dict[str, Cause] = {}
        self._loads: dict[str, MachineLoad] = {}

    async def play(self, configuration: TournamentConfiguration) -> None:
        """Play until the end, or until a bot cannot go on."""
        sandbox = await _tried_sandbox(self._task, configuration)
        words = words_of(sandbox, configuration.sandbox.limits)
        async with self._blocks(configuration, sandbox, words) as blocks:
            if self._task.only_starts:
                await blocks.starts(self._task.block, self._task.bots[0].name, self._task.setups[0])
                return
            players = self._task.setups[0].players
            async with blocks.open(self._task.block, players) as block:
                for setup in self._task.setups:
                    if self._given_up or not await block.ready(
                        setup.players, number_of(setup.match)
                    ):
                        break
                    titled = msgspec.structs.replace(setup, sandboxes=(words,) * len(players))
                    begin = _METER.sample()
                    await block.play([titled])
                    if (load := _METER.since(begin)) is not None:
                        self._loads[setup.match] = load

    @asynccontextmanager
    async def _blocks(
        self, configuration: TournamentConfiguration, sandbox: Sandbox, words: str
    ) -> AsyncIterator[HostedBlocks]:
        settings = msgspec.structs.replace(configuration.server, host="127.0.0.1", port=0)
        async with (
            open_server(settings, self._journal) as server,
            self._reports(server) as reports,
            trio.open_nursery() as nursery,
        ):
            hosting = HostServer.of(server, sandbox, words, reports)
            run = HostedRun(
                configuration,
                configuration.bots,
                self._bot_seed,
                self._warnings.append,
                self._give_up,
            )
            yield HostedBlocks(
                run,
                server,
                server,
                hosting,
                nursery,
                keep_logs=False,
                pinned=False,  # the worker's other blocks would be pinned to the same cores
            )
            await server.stop(0, "finished")
            nursery.cancel_scope.cancel()

    @asynccontextmanager
    async def _reports(self, server: Server) -> AsyncIterator[ProcessReports]:
        reports = ProcessReports(server.turns_of, self._note_processes, self._warnings.append)
        async with reports.keeping(self._journal.watching_records):
            yield reports

    async def _note_processes(self, match: str, reports: Mapping[int, ProcessReport]) -> None:
        await trio.lowlevel.checkpoint()
        self._processes[match] = dict(reports)

    def result(self) -> BlockResult:
        """The result of the task."""
        return BlockResult(
            worker=self._worker.name,
            address=self._worker.address,
            replays=tuple(encode_replay(self._named(one)) for one in self._journal.records),
            processes=self._processes,
            warnings=tuple(self._warnings),
            given_up=self._given_up,
        )

    def _bot_seed(self, name: str, number: int | None) -> int:
        return self._task.bot_seeds[str(number)][name]

    def _give_up(self, name: str, why: Cause) -> None:
        self._given_up.setdefault(name, why)

    def _named(self, record: MatchRecord) -> MatchRecord:
        """The record with the name of the worker, and how busy its machine was."""
        machine = record.machine or self._loads.get(record.setup.match)
        return msgspec.structs.replace(record, worker=self._worker.name, machine=machine)


if __name__ == "__main__":
    main()
