"""The process beside a worker that referees blocks: it takes one task after another over its pipes.

A bot that uses up the machine's memory, or kills all processes that it can, ends this process and
not the worker. The process ends with the worker: at the end of its input it ends all its children.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import Final

import trio

from polynya_tournaments.distribution.block_server import BlockServer, WorkerName
from polynya_tournaments.distribution.bot_archives import UnpackedBots

HEADER: Final = struct.Struct(">I")
"""Before each frame: its length in bytes. An empty one says that the process is alive."""

ALIVE_S: Final = 1.0
_LEAVE_S: Final = 5.0
"""How long kept bots may take to end when no further task can come."""


def main() -> None:
    """Serve the worker that has started this process; ``sys.argv`` names it and its folder."""
    name, address, folder = sys.argv[1:]
    # Other writers to standard output must not put bytes among the frames.
    output = os.dup(1)
    os.dup2(2, 1)
    trio.run(_serve, WorkerName(name, address), Path(folder), os.dup(0), output)


async def _serve(worker: WorkerName, folder: Path, source: int, target: int) -> None:
    async with (
        trio.lowlevel.FdStream(source) as reader,
        trio.lowlevel.FdStream(target) as writer,
        trio.open_nursery() as nursery,
    ):
        pipe = _Pipe(reader, writer)
        server = BlockServer(worker, UnpackedBots(folder), pipe.write)
        send, tasks = trio.open_memory_channel[bytes](1)
        nursery.start_soon(pipe.say_alive)

        async def read_tasks() -> None:
            await pipe.read_tasks(send)
            if server.in_play:
                nursery.cancel_scope.cancel()
            else:
                nursery.cancel_scope.deadline = trio.current_time() + _LEAVE_S

        nursery.start_soon(read_tasks)
        await server.serve(tasks)
        nursery.cancel_scope.cancel()


class _Pipe:
    """Frames from and to the worker."""

    def __init__(self, reader: trio.lowlevel.FdStream, writer: trio.lowlevel.FdStream) -> None:
        self._reader = reader
        self._writer = writer
        self._writing = trio.Lock()

    async def read_tasks(self, send: trio.MemorySendChannel[bytes]) -> None:
        """Pass tasks on until the end of the input, the worker's."""
        async with send:
            while (header := await self._exactly(HEADER.size)) is not None:
                frame = await self._exactly(*HEADER.unpack(header))
                if frame is None:
                    break
                await send.send(frame)

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


if __name__ == "__main__":
    main()
