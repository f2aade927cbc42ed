"""The batch writer: few transactions, nothing lost, one failure alone."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest
import sqlalchemy as sa
import trio
from trio.testing import MockClock

from polynya_tournaments.errors import StoreError
from polynya_tournaments.store import Store
from polynya_tournaments.store.writer import batch_writer
from polynya_tournaments.store.writer.batch_writer import BatchWriter


class Writes:
    """A write that registers bots, and remembers in which batches it was called."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, connection: sa.Connection, names: Sequence[str]) -> list[str]:
        self.batches.append(list(names))
        for name in names:
            if name == "bad":
                raise ValueError("a bad value")
            connection.exec_driver_sql(
                "INSERT INTO bots (name, token_hash, created_ms) VALUES (?, ?, 1)", (name, b"")
            )
        return [name.upper() for name in names]


def recorded(store: Store) -> list[str]:
    return sorted(store.bots.token_hashes())


async def write_all(writer: BatchWriter, writes: Writes, names: Sequence[str]) -> dict[str, object]:
    """What came of writing ``names`` at the same time, each a result or an error."""
    results: dict[str, object] = {}

    async def write(name: str) -> None:
        try:
            results[name] = await writer.write(writes, name)
        except Exception as error:
            results[name] = str(error)

    async with trio.open_nursery() as nursery:
        for name in names:
            nursery.start_soon(write, name)
    return results


class Running:
    """A writer that runs while the block lasts, with what it warned of."""

    def __init__(self, store: Store) -> None:
        self.warnings: list[str] = []
        self.warned = trio.Event()
        self.writer = BatchWriter(store.database, store.batches, self._warn)

    def _warn(self, sentence: str) -> None:
        self.warnings.append(sentence)
        self.warned.set()

    async def __aenter__(self) -> Running:
        self._manager = trio.open_nursery()
        nursery = await self._manager.__aenter__()
        nursery.start_soon(self.writer.run)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.writer.close()
        await self._manager.__aexit__(None, None, None)


async def test_each_writer_gets_its_own_result(store: Store) -> None:
    async with Running(store) as running:
        results = await write_all(running.writer, Writes(), ["a", "b", "c"])
    assert results == {"a": "A", "b": "B", "c": "C"}


async def test_the_first_write_does_not_wait_and_the_next_go_together(store: Store) -> None:
    writes = Writes()
    async with Running(store) as running:
        await running.writer.write(writes, "first")
        await write_all(running.writer, writes, ["a", "b", "c", "d"])
    assert [len(batch) for batch in writes.batches] == [1, 4]


def begun_at_s(number: int, matches_s: Sequence[float]) -> list[float]:
    """When so many transactions may begin, if that is how long the last matches have lasted."""
    begun: list[float] = []

    async def begin() -> None:
        pace, start_s = batch_writer.Pace(), trio.current_time()
        for match_s in matches_s:
            pace.observe_match(match_s)
        for _ in range(number):
            await pace.wait()
            begun.append(round(trio.current_time() - start_s, 3))

    trio.run(begin, clock=MockClock(autojump_threshold=0))
    return begun


def test_a_few_transactions_follow_each_other_at_once_and_then_one_in_some_50_ms() -> None:
    assert begun_at_s(7, [0.8] * 500) == [0, 0, 0, 0, 0.053, 0.106, 0.159]


def test_after_a_pause_too_there_is_one_transaction_in_50_ms_on_average_of_three_seconds() -> None:
    assert sum(at_s < 3 for at_s in begun_at_s(100, [0.8] * 500)) == 60


@pytest.mark.parametrize(("match_s", "period_s"), [(2, 0.12), (4, 0.24), (600, 0.25)])
def test_transactions_are_rarer_where_matches_last_longer(match_s: float, period_s: float) -> None:
    assert begun_at_s(6, [match_s] * 500) == [0, 0, 0, 0, period_s, 2 * period_s]


def test_one_match_that_lasts_for_long_among_quick_ones_makes_no_difference_to_speak_of() -> None:
    assert begun_at_s(5, [0.5] * 40 + [600] + [0.5] * 40)[-1] == 0.055


def released_at_ms(late_s: float) -> list[float]:
    """When each of five callers goes on, if the loop is that late after the second."""
    clock, at_ms = MockClock(autojump_threshold=0), list[float]()

    async def wait(job: batch_writer._Job) -> None:
        await job.done.wait()
        at_ms.append(round(1000 * trio.current_time(), 3))
        if len(at_ms) == 2:
            clock.jump(late_s)

    async def release() -> None:
        begin_s = trio.current_time()
        jobs = [batch_writer._Job(Writes(), name, trio.Event()) for name in "abcde"]
        async with trio.open_nursery() as nursery:
            for job in jobs:
                nursery.start_soon(wait, job)
            nursery.start_soon(batch_writer._wake_callers, jobs, 0.0004)
        at_ms[:] = [round(at - 1000 * begin_s, 3) for at in at_ms]

    trio.run(release, clock=clock)
    return at_ms


def test_waiting_callers_continue_one_by_one() -> None:
    assert released_at_ms(late_s=0) == [0, 0.4, 0.8, 1.2, 1.6]


def test_transactions_due_during_a_busy_moment_catch_up() -> None:
    assert released_at_ms(late_s=0.001) == [0, 0.4, 1.4, 1.4, 1.6]


def test_while_the_loop_is_behind_callers_go_on_at_a_third_of_the_rate() -> None:
    assert released_at_ms(late_s=0.0012) == [0, 0.4, 1.6, 2.8, 3.2]


async def test_however_late_the_loop_is_others_have_a_turn_before_the_next_goes_on() -> None:
    jobs = [batch_writer._Job(Writes(), name, trio.Event()) for name in "abcdefghij" * 3]
    gone_on = [0]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(batch_writer._wake_callers, jobs, 0)
        while gone_on[-1] < len(jobs):
            await trio.lowlevel.checkpoint()
            gone_on.append(sum(job.done.is_set() for job in jobs))
    # One in a round of the loop, in which the order is random: so up to two rounds of it.
    assert max(after - before for before, after in itertools.pairwise(gone_on)) <= 2


def test_many_callers_of_a_transaction_go_on_until_nine_tenths_of_the_time_to_the_next_one() -> (
    None
):
    assert 100 * batch_writer.Pace().wake_interval_s(100) == pytest.approx(0.9 * 0.053)


def test_few_callers_of_a_transaction_do_not_wait_for_as_long_as_many() -> None:
    pace = batch_writer.Pace()
    assert pace.wake_interval_s(1) == pace.wake_interval_s(25)


async def test_next_transaction_does_not_wait_for_earlier_callers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone_on, at_transactions = [0], list[int]()

    class NotingPace(batch_writer.Pace):
        async def wait(self) -> None:
            at_transactions.append(gone_on[0])
            await trio.lowlevel.checkpoint()

    async def write(writer: BatchWriter, writes: Writes, name: str) -> None:
        for written in (name, f"{name} again"):
            await writer.write(writes, written)
            gone_on[0] += 1

    monkeypatch.setattr(batch_writer, "Pace", NotingPace)
    async with Running(store) as running, trio.open_nursery() as nursery:
        writes = Writes()
        for number in range(150):
            nursery.start_soon(write, running.writer, writes, f"bot{number}")
    written = itertools.accumulate((len(batch) for batch in writes.batches), initial=0)
    waiting = [count - gone for count, gone in zip(written, at_transactions, strict=False)]
    assert max(waiting) > 50


async def test_returned_writes_are_in_the_database(store: Store) -> None:
    async with Running(store) as running:
        await running.writer.write(Writes(), "a")
        assert recorded(store) == ["a"]


async def test_one_bad_write_fails_alone(store: Store) -> None:
    async with Running(store) as running:
        results = await write_all(running.writer, Writes(), ["a", "bad", "c"])
    assert results == {"a": "A", "bad": "a bad value", "c": "C"}
    assert recorded(store) == ["a", "c"]


async def test_one_bad_write_among_many_costs_few_transactions(store: Store) -> None:
    names = [f"bot{number}" for number in range(100)]
    writes = Writes()
    async with Running(store) as running:
        results = await write_all(running.writer, writes, [*names[:70], "bad", *names[70:]])
    assert results == {**{name: name.upper() for name in names}, "bad": "a bad value"}
    assert recorded(store) == sorted(names)
    assert len(writes.batches) < 50


async def test_closing_writes_the_queue_without_callers(store: Store) -> None:
    async with Running(store) as running:
        await running.writer.write(Writes(), "first")
        with trio.move_on_after(0.001):
            await running.writer.write(Writes(), "second")
    assert recorded(store) == ["first", "second"]


async def test_a_locked_database_is_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.01)
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with Running(store) as running, trio.open_nursery() as nursery:
            nursery.start_soon(running.writer.write, Writes(), "a")
            await running.warned.wait()
            other.execute("ROLLBACK")
    assert "keeps the database" in running.warnings[0]
    assert "1 record waits and is written again" in running.warnings[0]
    assert "nothing was lost" in running.warnings[-1]
    assert recorded(store) == ["a"]


def limit_pages(store: Store, pages: int) -> None:
    """Let the database have no room to grow: SQLite then reports a full disk."""
    with store.database.reading() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def fill(connection: sa.Connection, values: Sequence[int]) -> Sequence[int]:
    for value in values:
        connection.exec_driver_sql(
            "INSERT INTO bots (name, token_hash, created_ms) VALUES (?, zeroblob(?), 1)",
            (f"large{value}", value),
        )
    return values


async def test_a_full_disk_is_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.01)
    limit_pages(store, 1)
    async with Running(store) as running, trio.open_nursery() as nursery:
        nursery.start_soon(running.writer.write, fill, 1_000_000)
        await running.warned.wait()
        limit_pages(store, 1_000_000)
    assert "there is no space left for the database" in running.warnings[0]
    assert recorded(store) == ["large1000000"]


async def test_lasting_full_disk_is_reported_at_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.001)
    limit_pages(store, 1)
    async with Running(store) as running:

        async def close() -> None:
            await running.warned.wait()
            running.writer.close()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(close)
            with pytest.raises(StoreError, match=r"no space left.*1 records are not written"):
                await running.writer.write(fill, 1_000_000)


async def test_pending_writes_at_the_end_share_one_deadline(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.001)
    limit_pages(store, 1)
    sizes: list[int] = []

    def count(connection: sa.Connection, values: Sequence[int]) -> Sequence[int]:
        sizes.append(len(values))
        return fill(connection, values)

    async def write(writer: BatchWriter, value: int) -> None:
        with pytest.raises(StoreError, match="records are not written"):
            await writer.write(count, value)

    async with Running(store) as running, trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(write, running.writer, 1_000_000 + number)
        await running.warned.wait()
        running.writer.close()
    assert set(sizes) == {8}  # and not its halves, one after the other


async def test_a_database_that_cannot_be_written_fails_at_once(store: Store) -> None:
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    async with Running(store) as running:
        with pytest.raises(StoreError, match=r"cannot be written.*1 records are not written"):
            await running.writer.write(Writes(), "a")
