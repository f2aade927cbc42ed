"""The batch writer: few transactions, nothing lost, one failure alone."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial

import pytest
import sqlalchemy as sa
import trio
from tests.store.kinds import file_only

from polynya_common.errors import StoreError, WritingEndedError
from polynya_store import Store, schema
from polynya_store.writer import batch_writer
from polynya_store.writer.batch_writer import BatchWriter


class Writes:
    """A write that registers bots, and remembers in which batches it was called."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, connection: sa.Connection, names: Sequence[str]) -> list[str]:
        self.batches.append(list(names))
        for name in names:
            if name == "bad":
                raise ValueError("a bad value")
            connection.execute(
                sa.insert(schema.bots).values(name=name, token_hash=b"", created_ms=1)
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


async def test_idle_writer_commits_at_once_and_later_writes_go_together(store: Store) -> None:
    writes = Writes()
    async with Running(store) as running:
        await running.writer.write(writes, "first")
        await write_all(running.writer, writes, ["a", "b", "c", "d"])
    assert [len(batch) for batch in writes.batches] == [1, 4]


async def test_however_late_the_loop_is_others_have_a_turn_before_the_next_goes_on() -> None:
    jobs = [batch_writer._Job(Writes(), name, trio.Event()) for name in "abcdefghij" * 3]
    gone_on = [0]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(batch_writer._wake_callers, jobs)
        while gone_on[-1] < len(jobs):
            await trio.lowlevel.checkpoint()
            gone_on.append(sum(job.done.is_set() for job in jobs))
    # One in a round of the loop, in which the order is random: so up to two rounds of it.
    assert max(after - before for before, after in itertools.pairwise(gone_on)) <= 2


async def test_returned_writes_are_in_the_database(store: Store) -> None:
    async with Running(store) as running:
        await running.writer.write(Writes(), "a")
        assert recorded(store) == ["a"]


async def test_posted_writes_precede_the_next_awaited_write(
    store: Store,
) -> None:
    writes = Writes()
    async with Running(store) as running:
        for name in "ab":
            await running.writer.post(writes, name)
        await running.writer.write(writes, "c")
        assert (writes.batches, recorded(store)) == ([["a", "b", "c"]], ["a", "b", "c"])


async def test_posted_write_is_written_at_the_end(store: Store) -> None:
    async with Running(store) as running:
        await running.writer.post(Writes(), "a")
    assert recorded(store) == ["a"]


async def test_many_posted_writes_go_in_large_batches(store: Store) -> None:
    writes, count = Writes(), 10 * batch_writer._MOST_ASIDE
    async with Running(store) as running:
        for number in range(count):
            await running.writer.post(writes, f"bot{number}")
    assert len(recorded(store)) == count
    assert min(len(batch) for batch in writes.batches[:-1]) > batch_writer._MOST_ASIDE


async def test_failure_of_a_posted_write_is_raised_by_the_next_write_and_at_the_end(
    store: Store,
) -> None:
    running = Running(store)
    await running.__aenter__()
    await running.writer.post(Writes(), "bad")
    await running.writer.write(Writes(), "a")
    with pytest.raises(ValueError, match="a bad value"):
        await running.writer.write(Writes(), "b")
    with pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="a bad value")):
        await running.__aexit__()
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


@file_only
async def test_a_locked_database_is_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.01)
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(str(store.address), isolation_level=None)) as other:
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


@file_only
async def test_a_full_disk_is_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.01)
    limit_pages(store, 1)
    async with Running(store) as running, trio.open_nursery() as nursery:
        nursery.start_soon(running.writer.write, fill, 1_000_000)
        await running.warned.wait()
        limit_pages(store, 1_000_000)
    assert "there is no space left for the database" in running.warnings[0]
    assert recorded(store) == ["large1000000"]


@file_only
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
            with pytest.raises(StoreError, match=r"no space left.*1 record is not written"):
                await running.writer.write(fill, 1_000_000)


@file_only
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
        with pytest.raises(StoreError, match="not written"):
            await writer.write(count, value)

    async with Running(store) as running, trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(write, running.writer, 1_000_000 + number)
        await running.warned.wait()
        running.writer.close()
    assert set(sizes) == {8}  # and not its halves, one after the other


@file_only
async def test_read_only_database_is_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_writer, "_RETRY_S", 0.01)
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    async with Running(store) as running, trio.open_nursery() as nursery:
        nursery.start_soon(running.writer.write, Writes(), "a")
        await running.warned.wait()
        with store.database.reading() as connection:
            connection.exec_driver_sql("PRAGMA query_only = OFF")
    assert "cannot be written; look at the rights" in running.warnings[0]
    assert recorded(store) == ["a"]


@file_only
async def test_writes_that_the_end_finds_waiting_are_kept_elsewhere_and_so_are_later_ones(
    store: Store,
) -> None:
    kept: list[str] = []
    limit_pages(store, 1)
    async with Running(store) as running:
        writer = running.writer

        async def write(value: str) -> None:
            with pytest.raises(WritingEndedError, match="no space left"):
                await writer.write(fill, 1_000_000, lambda: kept.append(value))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write, "waiting")
            await running.warned.wait()
            writer.end_within(0)
        limit_pages(store, 1_000_000)
        await write("later")
    assert kept == ["waiting", "later"]
    assert recorded(store) == []


@file_only
async def test_writes_that_wait_are_kept_if_their_callers_are_cancelled(store: Store) -> None:
    kept: list[str] = []
    limit_pages(store, 1)
    async with Running(store) as running, trio.open_nursery() as nursery:
        keep = partial(kept.append, "waiting")
        nursery.start_soon(running.writer.write, fill, 1_000_000, keep)
        await running.warned.wait()
        nursery.cancel_scope.cancel()
    assert kept == ["waiting"]
    assert len(running.warnings) == 1


async def test_database_that_is_written_when_the_end_comes_is_written_on(store: Store) -> None:
    async with Running(store) as running:
        running.writer.end_within(0)
        assert await running.writer.write(Writes(), "a", lambda: None) == "A"
    assert recorded(store) == ["a"]


@file_only
async def test_transaction_that_another_program_holds_up_is_broken_off_at_the_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_writer, "_LAST_S", 0.01)
    with closing(sqlite3.connect(str(store.address), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with Running(store) as running:
            running.writer.end_within(0)
            with pytest.raises(WritingEndedError, match="takes too long to write"):
                await running.writer.write(Writes(), "a", lambda: None)


@file_only
async def test_error_of_keeping_a_write_is_its_own(store: Store) -> None:
    def fail() -> None:
        raise StoreError("nowhere")

    limit_pages(store, 1)
    async with Running(store) as running:
        running.writer.end_within(0)
        with pytest.raises(StoreError, match="nowhere"):
            await running.writer.write(fill, 1_000_000, fail)
