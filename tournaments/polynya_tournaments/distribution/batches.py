"""Sends short blocks of the same bots to a worker in one task, about half a second of play.

A task of Dask costs some milliseconds, and bots that answer at once play a block in as many. Each
block keeps its own result: nothing of it depends on the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import trio

from polynya_tournaments.distribution.block_messages import BlockResult, BlockTask, bots_key

BATCH_S: Final = 0.5
"""How long a task of short blocks is played."""

MOST_BLOCKS: Final = 64
_AHEAD: Final = 2
"""Number of submitted tasks per task in play, so that no worker waits."""

_MOST_REMEMBERED: Final = 10_000
_SHARE_OF_NEW: Final = 0.5
"""How much the last duration counts beside those before it."""

Send = Callable[[Sequence[BlockTask]], Awaitable[Sequence[BlockResult]]]
"""Lets a worker play blocks of the same bots; returns their results in the same order."""


class _Asked:
    """A block whose result is waited for."""

    def __init__(self, task: BlockTask) -> None:
        self.task = task
        self.key = bots_key(task)
        self.ended = trio.Event()
        self.result: BlockResult | None = None
        self.error: Exception | None = None

    async def answer(self) -> BlockResult:
        await self.ended.wait()
        if self.result is None:
            raise self.error or RuntimeError("a block without a result")
        return self.result


class Batches:
    """Groups the blocks that wait for a worker.

    Args:
        send: see :data:`Send`.
        slots: gives how many tasks are played at the same time.
        nursery: for the tasks; after it is cancelled no block gets a result.
    """

    def __init__(self, send: Send, slots: Callable[[], int], nursery: trio.Nursery) -> None:
        self._send = send
        self._slots = slots
        self._nursery = nursery
        self._queue: list[_Asked] = []
        self._out = 0
        self._seconds: dict[bytes, float] = {}
        self._size = 1

    def at_once(self) -> int:
        """Number of blocks asked for at the same time: of submitted tasks, and of the next ones."""
        tasks = self._most_out()
        return tasks if self._size == 1 else (tasks + self._slots()) * self._size

    async def play(self, task: BlockTask) -> BlockResult:
        """The result of a block.

        Raises:
            RunError: the scheduler is gone and did not come back.
        """
        asked = _Asked(task)
        self._queue.append(asked)
        self.send()
        try:
            return await asked.answer()
        finally:
            if asked in self._queue:
                self._queue.remove(asked)

    def send(self) -> None:
        """Send as many tasks as the workers have room for; to be called when workers came."""
        while self._queue and (room := self._most_out() - self._out) > 0:
            batch = self._next_batch(room)
            self._out += 1
            self._nursery.start_soon(self._play, batch)

    def _most_out(self) -> int:
        return max(1, _AHEAD * self._slots())

    def _next_batch(self, room: int) -> list[_Asked]:
        """Take the first block and others of its bots; all workers share the last blocks."""
        key = self._queue[0].key
        most = min(self._blocks_of(key), -(-len(self._queue) // max(room, self._slots())))
        batch = [one for one in self._queue if one.key == key][:most]
        self._queue = [one for one in self._queue if one not in batch]
        return batch

    def _blocks_of(self, key: bytes) -> int:
        """How many blocks of these bots last half a second."""
        if (seconds := self._seconds.get(key)) is None:
            return 1
        return max(1, min(MOST_BLOCKS, int(BATCH_S / max(seconds, BATCH_S / MOST_BLOCKS))))

    async def _play(self, batch: Sequence[_Asked]) -> None:
        try:
            results = await self._send([one.task for one in batch])
        except Exception as error:
            for one in batch:
                one.error = error
        else:
            for one, result in zip(batch, results, strict=True):
                one.result = result
                self._note(one.key, result)
        finally:
            self._out -= 1
        for one in batch:
            one.ended.set()
        self.send()

    def _note(self, key: bytes, result: BlockResult) -> None:
        """Remember how long a block of these bots lasts."""
        if not result.replays:
            return
        before = self._seconds.pop(key, result.seconds)
        self._seconds[key] = before + _SHARE_OF_NEW * (result.seconds - before)
        if len(self._seconds) > _MOST_REMEMBERED:
            del self._seconds[next(iter(self._seconds))]
        self._size = self._blocks_of(key)
