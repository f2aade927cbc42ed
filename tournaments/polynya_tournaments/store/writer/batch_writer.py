"""Many small writes as few transactions: the queue between the server's loop and the database.

A transaction for one match takes as much of the processor as one for ten. So there is one in 50 ms
at most, on average: what arrives meanwhile goes into the next one together. Each caller waits until
its own write is on the disk. Where matches last for longer there are fewer still, as long as the
wait is short against a match: with 1,000 matches of 3.5 s, of which 280 end in a second, half of
the moves waited for 0.13 ms and one in a hundred for 3.2 with one transaction in 200 ms, for 0.16
and 5.0 with one in 50 (medians of four runs in alternation). After a pause a few may follow each
other at once, so that where little is played a match waits for nothing when it begins and ends.

Callers go on one by one, all through the period: each has a match to begin or to end, and a hundred
of them at once would keep everybody else waiting. While the loop is behind, the moves that wait for
it come first, and callers go on at a third of that rate, which is enough to catch up where it is
behind because the machine is slow for a moment: beside a program that filled the processor's caches
twice a second, half of 22,800 moves a second waited for 0.09 ms instead of 0.11, and one in a
hundred for 1.4 to 1.6 ms instead of 1.5 to 4.0 (four runs each in alternation).

The next transaction does not wait for them: under full load it would be for twice as long as it
takes. And each makes its own value ready for another process, if one writes, and reads its own
result: a batch of a hundred would keep the interpreter for some milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import sqlalchemy as sa
import trio

from polynya_tournaments.errors import StoreError, UnknownOutcomeError
from polynya_tournaments.store.database import Database
from polynya_tournaments.store.database_errors import DatabaseGoneError, is_transient, sentence
from polynya_tournaments.store.writer.outage import Outage
from polynya_tournaments.store.writer.transactions import BatchExecutor, Result, Value, Write

_PERIOD_S = 0.053
"""So much over 50 ms that, with those that follow a pause at once, there are 60 in 3 s at most."""
_LONGEST_PERIOD_S = 0.25
_SHARE_OF_MATCH = 0.06
"""How long a period is where matches last for longer, in parts of a match."""
_MATCHES_OF_MEAN = 32
_MOST_AT_ONCE = 4
_SHARE_TO_GO_ON = 0.9
"""In which part of a period all callers of a transaction go on."""
_MANY = 25
"""Fewer callers than these go on as quickly one after the other: there is no crowd of them."""
_BEHIND_S = 0.0007
"""A loop that is later than this is behind with its work."""
_SLOWER = 3
"""How many times as far apart callers go on meanwhile."""
_RETRY_S = 0.5
_LAST_TRIES = 3
_MOST_IN_BATCH = 1_000
_MOST_WAITING = 2_000


@dataclass(eq=False, slots=True)
class _Job:
    write: Write[Any, Any]
    value: Any
    done: trio.Event
    result: Any = None
    error: Exception | None = None
    waited_for: bool = True


class _GivenUpError(StoreError):
    """The database could not be written for as long as is waited at the end."""


_FOR_ALL = (UnknownOutcomeError, _GivenUpError)
"""Failures of a batch after which its parts are not tried: each would be waited for once more."""


class Pace:
    """Lets one transaction begin in a period on average, and a few at once after a pause."""

    def __init__(self) -> None:
        self._due_s = -math.inf  # when there are as many as are allowed, if none is begun
        self._period_s = _PERIOD_S

    def wake_interval_s(self, callers: int) -> float:
        """Seconds between waking two callers whose transaction is over."""
        return self._period_s * _SHARE_TO_GO_ON / max(callers, _MANY)

    def observe_match(self, seconds: float) -> None:
        """Note how long a match lasted; the last few dozen count."""
        fitting_s = max(_PERIOD_S, min(seconds * _SHARE_OF_MATCH, _LONGEST_PERIOD_S))
        self._period_s += (fitting_s - self._period_s) / _MATCHES_OF_MEAN

    async def wait(self) -> None:
        """Wait until the next one may begin."""
        spare_s = (_MOST_AT_ONCE - 1) * self._period_s
        await trio.sleep_until(self._due_s - spare_s)
        self._due_s = max(self._due_s, trio.current_time()) + self._period_s


class BatchWriter:
    """Runs writes in a thread, one transaction at a time, in the order in which they came.

    Attributes:
        pace: says when the next transaction begins, and is told how long matches last.
    """

    def __init__(
        self, database: Database, batches: BatchExecutor, warn: Callable[[str], None]
    ) -> None:
        self._database = database
        self._batches = batches
        self._warn = warn
        self._outage = Outage(warn)
        self._sender, self._receiver = trio.open_memory_channel[_Job](_MOST_WAITING)
        self._one_writer = trio.CapacityLimiter(1)
        self._closing = False
        self.pace = Pace()

    async def write(self, write: Write[Value, Result], value: Value) -> Result:
        """The result of writing ``value``, when it is durable.

        A write that was queued is carried out also if the caller is cancelled.

        Raises:
            StoreError: the database cannot be written; nothing of this value was.
        """
        job = _Job(write, self._batches.pack(value), trio.Event())
        await self._sender.send(job)
        try:
            await job.done.wait()
        except trio.Cancelled:
            job.waited_for = False
            raise
        if job.error is not None:
            raise job.error
        result: Result = self._batches.unpack(job.result)
        return result

    def close(self) -> None:
        """No more writes; ``run`` returns when those in the queue are done."""
        self._closing = True
        self._sender.close()

    async def run(self) -> None:
        """Write until closed; cancelling does not interrupt it."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                async for first in self._receiver:
                    await self.pace.wait()
                    await self._write_batch([first, *self._waiting()], nursery)

    def _waiting(self) -> list[_Job]:
        jobs: list[_Job] = []
        while len(jobs) < _MOST_IN_BATCH - 1:
            try:
                jobs.append(self._receiver.receive_nowait())
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
        self._start_waking(jobs, nursery)

    async def _bisect_failed_batch(
        self, jobs: list[_Job], error: Exception, nursery: trio.Nursery
    ) -> None:
        """A batch has failed as a whole: write its halves, and theirs, so that one fails alone."""
        if len(jobs) == 1 or isinstance(error, _FOR_ALL):
            if not all(job.waited_for for job in jobs):
                self._warn(str(error))
            for job in jobs:
                job.error = error
            self._start_waking(jobs, nursery)
            return
        middle = len(jobs) // 2
        await self._write_batch(jobs[:middle], nursery)
        await self._write_batch(jobs[middle:], nursery)

    def _start_waking(self, jobs: list[_Job], nursery: trio.Nursery) -> None:
        nursery.start_soon(_wake_callers, jobs, self.pace.wake_interval_s(len(jobs)))

    async def _transaction(self, jobs: list[_Job]) -> list[Any]:
        write = partial(self._write_all, jobs)
        results, in_place = await self._until_possible(write, len(jobs))
        if not in_place:
            # What was written into a file that has been removed lasts only if that comes back.
            await self._until_possible(self._database.check_file_unchanged, len(jobs))
        return results

    async def _until_possible(self, attempt: Callable[[], Result], records: int) -> Result:
        """Try again and again while the database is locked or gone, or its disk is full."""
        tries = 0
        while True:
            try:
                result = await trio.to_thread.run_sync(attempt, limiter=self._one_writer)
            except (sa.exc.DBAPIError, DatabaseGoneError) as error:
                problem = sentence(error, self._database.path)
                what = f"{problem}; {records} records are not written"
                if not is_transient(error):
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
        self._database.check_file_unchanged()
        groups = groupby(jobs, key=lambda job: job.write)
        results = self._batches.transact(
            [(write, [job.value for job in group]) for write, group in groups]
        )
        return results, self._in_place()

    def _in_place(self) -> bool:
        try:
            self._database.check_file_unchanged()
        except StoreError:
            return False
        return True


async def _wake_callers(jobs: list[_Job], apart_s: float) -> None:
    """Let callers go on, one by one, and further apart while the loop is behind."""
    due_s = trio.current_time()
    for job in jobs:
        await trio.sleep_until(due_s)
        job.done.set()
        now_s = trio.current_time()
        due_s = now_s + _SLOWER * apart_s if now_s - due_s > _BEHIND_S else due_s + apart_s
