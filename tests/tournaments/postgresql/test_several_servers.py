"""Several servers on one PostgreSQL database: what each plays alone, and how that is taken over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
import trio
from tests.postgresql import PostgreSQL
from tests.scripted.scripted_referee import record_of, setup_of
from tests.tournaments.postgresql.contest import playing

from polynya_common.database_address import DatabaseUrl
from polynya_common.errors import StoreError
from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, Store, open_journal, schema_upgrade, tournament_claim
from polynya_store.backends.backend import FencedError, was_committed
from polynya_store.backends.play_session import PlaySession
from polynya_store.writer.executors import Transactions

CANCEL_ONCE = """
CREATE SEQUENCE cancelled;
CREATE FUNCTION cancel_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('cancelled') = 1 THEN
        RAISE EXCEPTION 'canceling statement due to user request' USING ERRCODE = '57014';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER cancel_once BEFORE INSERT ON replays FOR EACH ROW EXECUTE FUNCTION cancel_once();
"""
"""Let the first result be cancelled, as by ``pg_cancel_backend``."""

AUTUMN, SPRING = tournament_claim("autumn"), tournament_claim("spring")


@pytest.fixture
def url(postgresql: PostgreSQL) -> DatabaseUrl:
    return postgresql.new()


def opened(url: DatabaseUrl, *claims: str) -> Store:
    return Store.open(url, for_play=True, claims=claims)


@contextmanager
def cut_off(store: Store) -> Iterator[None]:
    """End the connection that holds a store's lock, as a network does that is away for a while."""
    play = store.database.play
    assert isinstance(play, PlaySession)
    assert play._lock is not None
    connect = play._connect

    def refuse() -> psycopg.Connection[Any]:
        raise psycopg.OperationalError("the network is away")

    play._connect = refuse
    play._lock.close()
    try:
        yield
    finally:
        play._connect = connect


def test_different_things_are_played_beside_each_other(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN), opened(url, SPRING) as second:
        assert second.voided_matches == 0


def test_server_may_play_while_a_command_has_made_the_database(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    with Store.open(url, create=True), opened(url, AUTUMN) as second:
        assert second.voided_matches == 0


def test_second_server_is_told_who_plays(url: DatabaseUrl, tmp_path: Path) -> None:
    with playing(tmp_path, url) as first:
        first.read_until("begun")
        with pytest.raises(StoreError) as error:
            opened(url, AUTUMN)
        number = first.process.pid
    assert f"process {number} on " in str(error.value)
    assert "plays the tournament autumn since " in str(error.value)


def test_what_is_claimed_later_is_alone_too(url: DatabaseUrl) -> None:
    with opened(url) as first, opened(url, AUTUMN) as second:
        with (
            pytest.raises(StoreError, match=r"plays the tournament autumn"),
            first.claiming(AUTUMN),
        ):
            pass
        with second.claiming(SPRING), pytest.raises(StoreError), first.claiming(SPRING):
            pass
        with first.claiming(SPRING):
            pass


def test_everything_is_claimed_alone(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN), pytest.raises(StoreError, match="plays the tournament autumn since"):
        Store.open(url, for_play=True)


def test_newer_version_changes_no_tables_that_are_played_into(
    url: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(url, AUTUMN):
        monkeypatch.setattr(schema_upgrade, "HEAD", "9999")
        with pytest.raises(StoreError, match=r"plays the tournament autumn .* older version"):
            opened(url)
        with pytest.raises(StoreError, match="this command does not change it"):
            Store.open(url)


def test_database_of_0_2_0_is_refused(url: DatabaseUrl, postgresql: PostgreSQL) -> None:
    postgresql.execute("UPDATE alembic_version SET version_num = '0023'", url.name)
    for open_store in (Store.open, opened):
        with pytest.raises(StoreError, match=r"was written by Polynya 0\.2\.0 or older"):
            open_store(url)


def test_sign_of_life_of_another_clock_in_a_restored_database_holds_nothing(
    url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    with opened(url, AUTUMN) as store:
        backend = store.database.backend
        assert backend.holder([AUTUMN]) is not None
    postgresql.execute(
        "UPDATE play_sessions SET ended_ms = NULL, "
        "seen_ms = 3600000 + (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
        url.name,
    )
    assert backend.holder([AUTUMN]) is None
    backend.engine.dispose()


def test_epochs_only_grow(url: DatabaseUrl) -> None:
    numbers = []
    for _ in range(3):
        with opened(url, AUTUMN) as store:
            assert store.database.fence is not None
            numbers.append(store.database.fence.session)
    assert numbers == sorted(set(numbers))


async def test_only_matches_of_servers_that_ended_are_void(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN) as lost, opened(url, SPRING) as living:
        for store, name in ((lost, "a"), (living, "b")):
            async with open_journal(store) as journal:
                await journal.begin(Attempt(setup_of(name, "ann", "bob"), RatingSettings()))
        with cut_off(lost), opened(url, AUTUMN) as next_one:
            assert next_one.voided_matches == 1
            assert next_one.matches.get("a").reason == "aborted"
            assert next_one.matches.get("b").reason is None


async def test_server_that_was_taken_over_writes_no_more(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN) as lost, pytest.raises(FencedError, match="taken over"):  # noqa: PT012
        async with open_journal(lost) as journal:
            setup = await journal.begin(Attempt(setup_of("a", "ann", "bob"), RatingSettings()))
            with cut_off(lost):
                next_one = opened(url, AUTUMN)
            with next_one:
                assert next_one.voided_matches == 1
                await journal.finish(record_of(setup, [1, 2]))
    with Store.open(url) as store:
        assert store.ratings.find() == []


async def test_idle_server_that_was_taken_over_stops(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN) as lost, pytest.raises(FencedError, match="taken over"):  # noqa: PT012
        async with open_journal(lost):
            with cut_off(lost):
                next_one = opened(url, AUTUMN)
            with next_one, trio.fail_after(60):
                await trio.sleep_forever()


async def test_server_goes_on_after_a_cut_connection_without_a_takeover(
    url: DatabaseUrl,
) -> None:
    with opened(url, AUTUMN) as store:
        async with open_journal(store) as journal:
            setup = await journal.begin(Attempt(setup_of("a", "ann", "bob"), RatingSettings()))
            with cut_off(store):
                pass
            await journal.finish(record_of(setup, [1, 2]))
        with pytest.raises(StoreError, match=r"plays the tournament autumn"):
            opened(url, AUTUMN)
    with Store.open(url) as read:
        assert len(read.ratings.find()) == 2


async def test_result_that_an_administrator_cancelled_is_written_again(
    url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    postgresql.execute(CANCEL_ONCE, url.name)
    with opened(url, AUTUMN) as store:
        async with open_journal(store) as journal:
            setup = await journal.begin(Attempt(setup_of("a", "ann", "bob"), RatingSettings()))
            await journal.finish(record_of(setup, [1, 2]))
        assert len(store.ratings.find()) == 2


async def test_reading_that_is_cut_off_is_done_again(
    url: DatabaseUrl, postgresql: PostgreSQL
) -> None:
    cut: list[int] = []
    with opened(url, AUTUMN) as store:

        def read() -> object:
            with store.database.reading() as connection:
                if not cut:
                    cut.append(postgresql.cut())
                return connection.scalar(sa.text("SELECT 4711"))

        async with open_journal(store) as journal:
            assert await journal.read(read) == 4711
    assert len(cut) == 1


async def test_reading_that_lastingly_fails_is_an_error(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN) as store:

        def read() -> object:
            with store.database.reading() as connection:
                return connection.scalar(sa.text("SELECT 1 FROM no_such_table"))

        async with open_journal(store) as journal:
            with pytest.raises(StoreError):
                await journal.read(read)


async def test_commit_without_an_answer_is_not_written_twice(
    url: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = []
    with opened(url, AUTUMN) as store:
        dialect = store.database.backend.engine.dialect
        commit = dialect.do_commit

        def cut_after_commit(connection: object) -> None:
            commit(connection)  # type: ignore[arg-type]
            commits.append(connection)
            if len(commits) == 1:
                raise dialect.loaded_dbapi.OperationalError("the connection is lost")

        monkeypatch.setattr(dialect, "do_commit", cut_after_commit)
        async with open_journal(store) as journal:
            setup = await journal.begin(Attempt(setup_of("a", "ann", "bob"), RatingSettings()))
        assert setup.match == "a"
        with store.database.reading() as connection:
            assert connection.scalar(sa.text("SELECT count(*) FROM matches")) == 1
    assert len(commits) >= 2


def test_commit_that_a_replica_never_got_is_not_in_the_database(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN) as store, store.database.reading() as connection:
        assert not was_committed(connection, str(2**62))


async def test_server_that_stands_still_delays_no_other_in_a_batch(url: DatabaseUrl) -> None:
    with opened(url, AUTUMN) as store:
        fence = store.database.fence
        [found] = Transactions(store.database.backend.engine).run([(idle_limits, [None])], fence)
        assert found == "10s"
        with store.database.writing() as connection:  # what is computed in it may take its time
            assert idle_limits(connection, [None]) == ["0"]


def idle_limits(connection: sa.Connection, asked: Sequence[None]) -> list[str]:
    limit = connection.scalar(sa.text("SHOW idle_in_transaction_session_timeout"))
    return [str(limit) for _ in asked]
