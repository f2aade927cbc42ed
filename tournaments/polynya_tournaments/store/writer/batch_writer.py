"""Many small writes as few transactions: the queue between the server's loop and the database.

A transaction for one match takes as much of the processor as one for ten. So writes that arrive
while a transaction runs go together into the next one, which begins as soon as that one has ended:
with few matches a caller waits for one commit, with thousands the batches are large. Each
caller waits until its own write is on the disk.

Callers go on one by one, each in a pass of the loop of its own, so that moves are read between
them: each has a match to begin or to end, and a hundred of them at once would keep all others
waiting. Each makes its own value ready for another process, if one writes, and reads its own
result. The next transaction does not wait for them.

What nobody waits for, because the file is gone afterwards, is put aside until there is much of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import sqlalchemy as sa
import trio

from polynya_tournaments.errors import StoreError, UnknownOutcomeError
from polynya_tournaments.store.backends.backend import DatabaseGoneError
from polynya_tournaments.store.backends.fence import FencedError
from polynya_tournaments.store.database import Database
from polynya_tournaments.store.writer.outage import Outage
from polynya_tournaments.store.writer.transactions import BatchExecutor, Result, Value, Write

_RETRY_S = 0.5
_LAST_TRIES = 3
_MOST_IN_BATCH = 1_000
_MOST_WAITING = 2_000
_MOST_ASIDE = 64
"""In such a batch a match costs the writer a third of one alone; in larger ones hardly less."""


@dataclass(eq=False, slots=True)
class _Job:
    write: Write[Any, Any]
    value: Any
    done: trio.Event
    result: Any = None
    error: Exception | None = None
    waited_for: bool = True
    posted: bool = False


class _GivenUpError(StoreError):
    """The database could not be written for as long as is waited at the end."""


_FOR_ALL = (UnknownOutcomeError, FencedError, _GivenUpError)
"""Failures of a batch after which its parts are not tried: each would be waited for once more."""


class BatchWriter:
    """Runs writes in a thread, one transaction at a time, in the order in which they came."""

    def __init__(
        self, database: Database, batches: BatchExecutor, warn: Callable[[str], None]
    ) -> None:
        self._database = database
        self._batches = batches
        self._warn = warn
        self._outage = Outage(warn)
        self._sender, self._receiver = trio.open_memory_channel[list[_Job]](_MOST_WAITING)
        self._one_writer = trio.CapacityLimiter(1)
        self._closing = False
        self._aside: list[_Job] = []
        self._failed: Exception | None = None  # the first failure of what nobody waited for

    async def write(self, write: Write[Value, Result], value: Value) -> Result:
        """The result of writing ``value``, when it is durable.

        A write that was queued is carried out also if the caller is cancelled.

        Raises:
            StoreError: the database cannot be written; nothing of this value was.
        """
        job = _Job(write, self._batches.pack(value), trio.Event())
        await self._send(job)
        try:
            await job.done.wait()
        except trio.Cancelled:
            job.waited_for = False
            raise
        if job.error is not None:
            raise job.error
        result: Result = self._batches.unpack(job.result)
        return result

    async def post(self, write: Write[Value, Result], value: Value) -> None:
        """Write ``value`` some time later, in its order: before the next :meth:`write`.

        Raises:
            StoreError: something that was posted before could not be written.
        """
        job = _Job(write, self._batches.pack(value), trio.Event(), posted=True)
        if len(self._aside) < _MOST_ASIDE:
            self._aside.append(job)
        else:
            await self._send(job)

    async def _send(self, job: _Job) -> None:
        """Queue a job after all that was put aside."""
        if self._failed is not None:
            raise self._failed
        jobs, self._aside = [*self._aside, job], []
        await self._sender.send(jobs)

    def close(self) -> None:
        """No more writes; ``run`` returns when those in the queue are done."""
        self._closing = True
        self._sender.close()

    async def run(self) -> None:
        """Write until closed; cancelling does not interrupt it.

        Raises:
            StoreError: something that was posted could not be written.
        """
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                async for first in self._receiver:
                    await self._write_batch([*first, *self._waiting()], nursery)
                if self._aside:
                    await self._write_batch(self._aside, nursery)
        if self._failed is not None:
            raise self._failed

    def _waiting(self) -> list[_Job]:
        jobs: list[_Job] = []
        while len(jobs) < _MOST_IN_BATCH - 1:
            try:
                jobs += self._receiver.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                break
        return jobs

    async def _write_batch(self, jobs: list[_Job], nursery: trio.Nursery) -> None:
        try:
            results = await self._transaction(jobs)
        except Exception as error:
            await self._bisect_failed_batch(jobs, error, nursery)
            return
        for job, result in zip(jobs, results, strict=True):
            job.result = result
        nursery.start_soon(_wake_callers, jobs)

    async def _bisect_failed_batch(
        self, jobs: list[_Job], error: Exception, nursery: trio.Nursery
    ) -> None:
        """A batch has failed as a whole: write its halves, and theirs, so that one fails alone."""
        if len(jobs) == 1 or isinstance(error, _FOR_ALL):
            if not all(job.waited_for for job in jobs):
                self._warn(str(error))
            if any(job.posted for job in jobs):
                self._failed = self._failed or error
            for job in jobs:
                job.error = error
            nursery.start_soon(_wake_callers, jobs)
            return
        middle = len(jobs) // 2
        await self._write_batch(jobs[:middle], nursery)
        await self._write_batch(jobs[middle:], nursery)

    async def _transaction(self, jobs: list[_Job]) -> list[Any]:
        write = partial(self._write_all, jobs)
        results, in_place = await self._until_possible(write, len(jobs))
        if not in_place:
            # What was written into a file that has been removed lasts only if that comes back.
            await self._until_possible(self._database.check_in_place, len(jobs))
        return results

    async def _until_possible(self, attempt: Callable[[], Result], records: int) -> Result:
        """Try again and again while the database is locked or gone, or its disk is full."""
        tries = 0
        while True:
            try:
                result = await trio.to_thread.run_sync(attempt, limiter=self._one_writer)
            except (sa.exc.DBAPIError, DatabaseGoneError) as error:
                problem = self._database.backend.sentence(error)
                what = f"{problem}; {records} records are not written"
                if not self._database.backend.is_transient(error):
                    raise StoreError(what) from error
                if self._closing and tries >= _LAST_TRIES:
                    raise _GivenUpError(what) from error
                queued = self._receiver.statistics().current_buffer_used
                self._outage.failed(problem, records + queued)
            else:
                self._outage.over()
                return result
            tries += 1
            await trio.sleep(_RETRY_S)

    def _write_all(self, jobs: list[_Job]) -> tuple[list[Any], bool]:
        """The jobs' results, and whether what was written is where the database is."""
        self._database.check_in_place()
        groups = groupby(jobs, key=lambda job: job.write)
        results = self._batches.transact(
            [(write, [job.value for job in group]) for write, group in groups]
        )
        return results, self._in_place()

    def _in_place(self) -> bool:
        try:
            self._database.check_in_place()
        except StoreError:
            return False
        return True


async def _wake_callers(jobs: list[_Job]) -> None:
    """Let callers go on, one in a pass of the loop."""
    for job in jobs:
        job.done.set()
        await trio.lowlevel.checkpoint()
