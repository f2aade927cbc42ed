"""Many small writes as few transactions: the queue between the server's loop and the database.

A transaction for one match takes as much of the processor as one for ten. So the writer rests after
each for nine times as long as it worked, 50 ms at most, and what arrives meanwhile goes into the
next one together: it never takes more than a tenth of a processor from the referees unless there is
that much to write. The first write after a pause does not wait, a few matches lose little time, and
many of them cost one transaction in 50 ms. Each caller still waits until its own write is on the
disk.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

import sqlalchemy as sa
import trio

from polynya_tournaments.errors import StoreError
from polynya_tournaments.store.failures import Gone, passes, sentence
from polynya_tournaments.store.outage import Outage
from polynya_tournaments.store.store import Store

Value = TypeVar("Value")
Result = TypeVar("Result")
Write = Callable[[sa.Connection, Sequence[Value]], Sequence[Result]]
"""Writes many values in one transaction and returns a result for each."""

_REST = 9
_LONGEST_REST_S = 0.05
_RETRY_S = 0.5
_LAST_TRIES = 3
_MOST_IN_BATCH = 200
_MOST_WAITING = 2_000


@dataclass(eq=False, slots=True)
class _Job:
    write: Write[Any, Any]
    value: Any
    done: trio.Event
    result: Any = None
    error: Exception | None = None
    waited_for: bool = True


class BatchWriter:
    """Runs writes in a thread, one transaction at a time, in the order in which they came."""

    def __init__(self, store: Store, warn: Callable[[str], None]) -> None:
        self._store = store
        self._warn = warn
        self._outage = Outage(warn)
        self._sender, self._receiver = trio.open_memory_channel[_Job](_MOST_WAITING)
        self._one_writer = trio.CapacityLimiter(1)
        self._closing = False
        self._worked_s = 0.0

    async def write(self, write: Write[Value, Result], value: Value) -> Result:
        """The result of writing ``value``, when it is durable.

        A write that was queued is carried out also if the caller is cancelled.

        Raises:
            StoreError: the database cannot be written; nothing of this value was.
        """
        job = _Job(write, value, trio.Event())
        await self._sender.send(job)
        try:
            await job.done.wait()
        except trio.Cancelled:
            job.waited_for = False
            raise
        if job.error is not None:
            raise job.error
        result: Result = job.result
        return result

    def close(self) -> None:
        """No more writes; ``run`` returns when those in the queue are done."""
        self._closing = True
        self._sender.close()

    async def run(self) -> None:
        """Write until closed; cancelling does not interrupt it."""
        with trio.CancelScope(shield=True):
            rested_s = -math.inf
            async for first in self._receiver:
                await trio.sleep_until(rested_s)
                await self._write_batch([first, *self._waiting()])
                rested_s = trio.current_time() + min(_REST * self._worked_s, _LONGEST_REST_S)

    def _waiting(self) -> list[_Job]:
        jobs: list[_Job] = []
        while len(jobs) < _MOST_IN_BATCH - 1:
            try:
                jobs.append(self._receiver.receive_nowait())
            except (trio.WouldBlock, trio.EndOfChannel):
                break
        return jobs

    async def _write_batch(self, jobs: list[_Job]) -> None:
        try:
            results = await self._transaction(jobs)
        except Exception as error:
            await self._isolate(jobs, error)
            return
        for job, result in zip(jobs, results, strict=True):
            job.result = result
            job.done.set()

    async def _isolate(self, jobs: list[_Job], error: Exception) -> None:
        """A batch has failed as a whole: write its jobs one by one, so that one fails alone."""
        if len(jobs) == 1:
            if not jobs[0].waited_for:
                self._warn(str(error))
            jobs[0].error = error
            jobs[0].done.set()
            return
        for job in jobs:
            await self._write_batch([job])

    async def _transaction(self, jobs: list[_Job]) -> list[Any]:
        results = await self._until_possible(partial(self._write_all, jobs), len(jobs))
        # What was written into a file that has just been removed lasts only if that comes back.
        await self._until_possible(self._store.check_place, len(jobs))
        return results

    async def _until_possible(self, attempt: Callable[[], Result], records: int) -> Result:
        """Try again and again while the database is locked or gone, or its disk is full."""
        tries = 0
        while True:
            try:
                result = await trio.to_thread.run_sync(attempt, limiter=self._one_writer)
            except (sa.exc.DBAPIError, Gone) as error:
                problem = sentence(error, self._store.path)
                if not passes(error) or (self._closing and tries >= _LAST_TRIES):
                    raise StoreError(f"{problem}; {records} records are not written") from error
                queued = self._receiver.statistics().current_buffer_used
                self._outage.failed(problem, records + queued)
            else:
                self._outage.over()
                return result
            tries += 1
            await trio.sleep(_RETRY_S)

    def _write_all(self, jobs: list[_Job]) -> list[Any]:
        self._store.check_place()
        began_s = time.thread_time()
        results: list[Any] = []
        with self._store.transaction() as connection:
            for write, group in groupby(jobs, key=lambda job: job.write):
                results += write(connection, [job.value for job in group])
        self._worked_s = time.thread_time() - began_s
        return results
