"""The code in a Dask worker: its plugin, and the body of a task."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from distributed import Status, Worker, WorkerPlugin, get_worker
from msgspec.structs import replace

from polynya_common.errors import ConfigurationError
from polynya_server.version import version
from polynya_tournaments.distribution.block_messages import (
    BlockResult,
    archives_of,
    bots_key,
    decode_task,
    encode,
)
from polynya_tournaments.distribution.bot_archives import UnpackedBots
from polynya_tournaments.distribution.referee_pool import RefereeLostError, RefereePool
from polynya_tournaments.distribution.worker_cores import DrainingError, WorkerCores

PLUGIN = "polynya"

_LOOK_S = 0.05
_FETCH_S = 30.0
"""How long a draining worker waits for its results to be fetched."""


class PolynyaPlugin(WorkerPlugin):  # type: ignore[misc]
    """Prepares a worker for blocks: it must have the coordinator's version, and drains at SIGTERM.

    Args:
        version: of polynya, the coordinator's.
    """

    name = PLUGIN

    def __init__(self, version: str) -> None:
        self._version = version

    def setup(self, worker: Worker) -> None:
        """Refuse the worker if its version differs; make its pool.

        Raises:
            RuntimeError: the version differs; the worker ends, or does not begin.
        """
        if (why := other_version(self._version, worker_name(worker))) is not None:
            raise RuntimeError(why)
        _Rooms.of(worker)
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, lambda: drain(worker))

    def teardown(self, worker: Worker) -> None:
        """End the referee's processes."""
        _Rooms.close(worker)


_draining: set[asyncio.Task[Any]] = set()


def drain(worker: Worker) -> None:
    """Let a worker finish the blocks that it plays, take no more, and end."""
    task = asyncio.ensure_future(_drained(worker))
    _draining.add(task)
    task.add_done_callback(_draining.discard)


async def _drained(worker: Worker) -> None:
    # Retiring alone would give what is being played to another worker, to be played again.
    worker.status = Status.closing_gracefully
    _Rooms.of(worker).cores.drain()
    while worker.state.executing:  # a referee's process that hangs is killed
        await asyncio.sleep(_LOOK_S)
    with suppress(TimeoutError):
        async with asyncio.timeout(_FETCH_S):
            while worker.data:
                await asyncio.sleep(_LOOK_S)
    with suppress(OSError):
        await worker.scheduler.retire_workers(
            workers=[worker.address], close_workers=False, remove=True, stimulus_id="polynya-drain"
        )
    await worker.close(reason="polynya-drained")


def worker_name(worker: Worker) -> str:
    """The worker's name and host, for people."""
    return f"{worker.name}@{socket.gethostname()}"


def other_version(expected: str, name: str) -> str | None:
    """Why a worker cannot play for a coordinator of this version; None if it can."""
    if version() == expected:
        return None
    return (
        f"worker {name} has polynya {version()}, the coordinator has {expected}: "
        "install the same version on both"
    )


class _Room(NamedTuple):
    """Referee processes, bots and cores of one worker.

    Attributes:
        pool: its referee processes.
        bots: those that it has unpacked, and folders of games.
        cores: as many as it has threads.
    """

    pool: RefereePool
    bots: UnpackedBots
    cores: WorkerCores


class _Rooms:
    """The room of each worker in this process; with ``--dask local`` there are several."""

    _lock = threading.Lock()
    _rooms: ClassVar[dict[str, _Room]] = {}

    @classmethod
    def of(cls, worker: Worker) -> _Room:
        """The room of a worker, made when it is first asked for."""
        with cls._lock:
            if worker.id not in cls._rooms:
                folder = Path(tempfile.mkdtemp(prefix="polynya-bots-"))
                os.chmod(folder, 0o755)  # noqa: S103 - bots in a sandbox are another user
                pool = RefereePool(worker_name(worker), worker.address, folder)
                cores = WorkerCores(worker.state.nthreads)
                cls._rooms[worker.id] = _Room(pool, UnpackedBots(folder), cores)
            return cls._rooms[worker.id]

    @classmethod
    def close(cls, worker: Worker) -> None:
        """End what belongs to it."""
        with cls._lock:
            room = cls._rooms.pop(worker.id, None)
        if room is not None:
            room.pool.close()
            room.bots.clear()


def play_blocks(tasks: Sequence[bytes], archives: Mapping[str, bytes]) -> list[bytes]:
    """The body of a task of Dask: play blocks of the same bots, one after another.

    Nothing is raised: what goes wrong is in the results, and the coordinator decides what follows.

    Args:
        tasks: encoded :class:`BlockTask` values.
        archives: those that the worker was missing, by SHA-256.

    Returns:
        An encoded :class:`BlockResult` for each block.
    """
    worker = get_worker()
    name = worker_name(worker)
    wanted = decode_task(tasks[0])
    found = BlockResult(worker=name, address=worker.address)
    if (why := other_version(wanted.version, name)) is not None:
        return [encode(replace(found, refused=why))] * len(tasks)
    try:
        room = _Rooms.of(worker)
        for digest, content in archives.items():
            room.bots.add(digest, content)
        missing = room.bots.missing(archives_of(wanted))
        if missing:
            return [encode(replace(found, missing=tuple(sorted(missing))))] * len(tasks)
        with room.cores.taken(wanted.cores):
            key = bots_key(wanted)
            game = wanted.game_archive
            return [_played(room, found, task, key, game) for task in tasks]
    except DrainingError:
        return [encode(replace(found, returned=True))] * len(tasks)
    except ConfigurationError as error:
        return [encode(replace(found, refused=f"{name}: {error}"))] * len(tasks)
    except OSError as error:
        return [encode(replace(found, failed=str(error)))] * len(tasks)


def _played(room: _Room, found: BlockResult, task: bytes, key: bytes, game: str | None) -> bytes:
    """The encoded result of a block; a worker that drains returns it."""
    if room.cores.is_draining:
        return encode(replace(found, returned=True))
    try:
        return room.pool.play(task, key, game)
    except (RefereeLostError, OSError) as error:
        return encode(replace(found, failed=str(error)))
