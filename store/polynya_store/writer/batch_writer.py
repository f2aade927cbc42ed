"""Combines small writes into few transactions: the queue between the loop and the database.

A transaction for one match takes as much of the processor as one for ten. So writes that arrive
while a transaction runs go together into the next one, which begins as soon as that one has ended:
with few matches a caller waits for one commit, with thousands the batches are large. Writes that
come in the pass of the loop after the first write go with it: a match's end lets the next one
begin. Each caller waits until its own write is on the disk.

Callers go on one by one, each in a pass of the loop of its own, so that moves are read between
them: each has a match to begin or to end, and a hundred of them at once would keep all others
waiting. Each makes its own value ready for another process, if one writes, and reads its own
result. The next transaction does not wait for them.

Writes that no caller waits for, because the file is not kept, are put aside until they are many.

When the process is to end and the database still cannot be written, the writer gives up for good:
from then on each value is kept elsewhere, as its caller said, or its write fails.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import sqlalchemy as sa
import trio

from polynya_common.errors import StoreError, UnknownOutcomeError, WritingEndedError
from polynya_store.backends.backend import DatabaseGoneError, FencedError
from polynya_store.database import Database
from polynya_store.writer.executors import BatchExecutor, Result, Value, Write

_FIRST_S = 10.0
_LONGEST_S = 300.0


class Outage:
    """Warns at once, then after 10 s, 20 s, 40 s and so on, at least every 5 min; and at its end.

    Args:
        warn: takes the sentences.
        now: the time in seconds.
    """

    def __init__(
        self, warn: Callable[[str], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._warn = warn
        self._now = now
        self._began_s: float | None = None
        self._next_s = 0.0
        self._pause_s = _FIRST_S

    def failed(self, problem: str, records: int) -> None:
        """Warn of a failed write that will be retried.

        Args:
            problem: why, a sentence without its full stop.
            records: how many wait.
        """
        now_s = self._now()
        if self._began_s is None:
            self._began_s = self._next_s = now_s
            self._pause_s = _FIRST_S
        if now_s < self._next_s:
            return
        self._warn(f"{problem}; {_waiting(records, now_s - self._began_s)} written again")
        self._next_s = now_s + self._pause_s
        self._pause_s = min(2 * self._pause_s, _LONGEST_S)

    def over(self) -> None:
        """Report that the records that waited are written."""
        if self._began_s is not None:
            waited_s = self._now() - self._began_s
            self._began_s = None
            self._warn(f"the database is written again, after {waited_s:.0f} s; nothing was lost")


def _waiting(records: int, for_s: float) -> str:
    since = f", for {for_s:.0f} s now," if for_s >= 1 else ""
    return (
        f"1 record waits{since} and is"
        if records == 1
        else f"{records} records wait{since} and are"
    )


_RETRY_S = 0.5
_LAST_S = 2.0
"""How long a transaction may take when the writer is to end, also for a database that is locked."""
_MOST_IN_BATCH = 1_000
_MOST_WAITING = 2_000
_MOST_ASIDE = 64
"""In such a batch a match costs the writer a third of one alone; in larger ones hardly less."""


@dataclass(eq=False, slots=True)
class _Job:
    write: Write[Any, Any]
    value: Any
    done: trio.Event
    keep: Callable[[], None] | None = None
    result: Any = None
    error: Exception | None = None
    waited_for: bool = True
    posted: bool = False


_FOR_ALL = (UnknownOutcomeError, FencedError, WritingEndedError)
"""Failures of a batch after which its parts are not tried: each would be waited for once more."""


class BatchWriter:
    """Runs writes in a thread, one transaction at a time, in the order in which they came.

    Attributes:
        ended: why nothing is written any more, a sentence without its full stop; None before.
    """

    def __init__(
        self, database: Database, batches: BatchExecutor, warn: Callable[[str], None]
    ) -> None:
        self._database = database
        self._batches = batches
        self._warn = warn
        self._outage = Outage(warn)
        self._sender, self._receiver = trio.open_memory_channel[list[_Job]](_MOST_WAITING)
        self._one_writer = trio.CapacityLimiter(1)
        self._aside: list[_Job] = []
        self._failed: Exception | None = None  # the first failed write without a waiting caller
        self._ends_s = math.inf
        self._began_s = -math.inf
        self._attempt = trio.CancelScope()
        self.ended: str | None = None

    async def write(
        self,
        write: Write[Value, Result],
        value: Value,
        keep: Callable[[], None] | None = None,
    ) -> Result:
        """The result of writing ``value``, when it is durable.

        A write that was queued is carried out also if the caller is cancelled.

        Args:
            write: writes it.
            value: what is written.
            keep: keeps the value elsewhere if the writer has given up; called in a thread. A
                ``StoreError`` of it is the write's.

        Raises:
            WritingEndedError: the writer has given up; ``keep``, if given, has kept the value.
            StoreError: the database cannot be written; nothing of this value was.
        """
        job = _Job(write, self._batches.pack(value), trio.Event(), keep)
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
        """Write ``value`` later, in order: before the next :meth:`write`.

        Raises:
            StoreError: something that was posted before could not be written.
        """
        job = _Job(write, self._batches.pack(value), trio.Event(), posted=True)
        if len(self._aside) < _MOST_ASIDE:
            self._aside.append(job)
        else:
            await self._send(job)

    async def _send(self, job: _Job) -> None:
        """Queue a job after all posted ones."""
        if self._failed is not None:
            raise self._failed
        jobs, self._aside = [*self._aside, job], []
        await self._sender.send(jobs)

    def end_within(self, seconds: float) -> None:
        """Give up unwritable writes this many seconds from now."""
        self._ends_s = min(self._ends_s, trio.current_time() + seconds)
        self._limit_attempt()

    def close(self) -> None:
        """Accept no more writes; ``run`` returns when the queue is done or given up."""
        self.end_within(0)
        self._sender.close()

    async def run(self) -> None:
        """Write until closed; cancelling does not interrupt it.

        Raises:
            StoreError: something that was posted could not be written.
        """
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                async for first in self._receiver:
                    await trio.lowlevel.checkpoint()
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
        """Bisect a failed batch, so that only the faulty write fails."""
        if len(jobs) == 1 or isinstance(error, _FOR_ALL):
            if any(job.posted for job in jobs):
                self._failed = self._failed or error
            for job in jobs:
                job.error = error
            if isinstance(error, WritingEndedError):
                await trio.to_thread.run_sync(_keep_elsewhere, jobs)
            if not all(job.waited_for or _is_kept(job) for job in jobs):
                self._warn(str(error))
            nursery.start_soon(_wake_callers, jobs)
            return
        middle = len(jobs) // 2
        await self._write_batch(jobs[:middle], nursery)
        await self._write_batch(jobs[middle:], nursery)

    async def _transaction(self, jobs: list[_Job]) -> list[Any]:
        write = partial(self._write_all, jobs)
        results, in_place = await self._until_possible(write, len(jobs))
        if not in_place:
            # Writes into a file that has been removed last only if the file comes back.
            await self._until_possible(self._database.check_in_place, len(jobs))
        return results

    async def _until_possible(self, attempt: Callable[[], Result], records: int) -> Result:
        """Retry while the database is locked or gone, or its disk is full."""
        while self.ended is None:
            try:
                result = await self._in_time(attempt)
            except (sa.exc.DBAPIError, DatabaseGoneError) as error:
                problem = self._database.backend.sentence(error)
                if not self._database.backend.is_transient(error):
                    raise StoreError(_not_written(problem, records)) from error
                if trio.current_time() >= self._ends_s:
                    self.ended = problem
                    break
                queued = self._receiver.statistics().current_buffer_used
                self._outage.failed(problem, records + queued)
            except trio.TooSlowError:
                self.ended = f"the database {self._database.address} takes too long to write"
                break
            else:
                self._outage.over()
                return result
            await trio.sleep(max(0, min(_RETRY_S, self._ends_s - trio.current_time())))
        raise WritingEndedError(_not_written(str(self.ended), records))

    async def _in_time(self, attempt: Callable[[], Result]) -> Result:
        """Return the result of ``attempt``; the first attempt after the end has a short time.

        Raises:
            TooSlowError: of trio; it may yet write what it was to write.
        """
        self._began_s = trio.current_time()
        with trio.CancelScope() as self._attempt:
            self._limit_attempt()
            return await trio.to_thread.run_sync(
                attempt, abandon_on_cancel=True, limiter=self._one_writer
            )
        raise trio.TooSlowError

    def _limit_attempt(self) -> None:
        self._attempt.deadline = max(self._ends_s, self._began_s + _LAST_S)

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


def _not_written(problem: str, records: int) -> str:
    waiting = "1 record is" if records == 1 else f"{records} records are"
    return f"{problem}; {waiting} not written"


def _keep_elsewhere(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.keep is not None:
            try:
                job.keep()
            except StoreError as error:
                job.error = error


def _is_kept(job: _Job) -> bool:
    return job.keep is not None and isinstance(job.error, WritingEndedError)


async def _wake_callers(jobs: list[_Job]) -> None:
    """Wake callers, one in a pass of the loop."""
    for job in jobs:
        job.done.set()
        await trio.lowlevel.checkpoint()
