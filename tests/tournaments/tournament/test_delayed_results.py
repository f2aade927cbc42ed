"""What pages tell of matches where everything is told some time later: the database's part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
import trio
from benchmarks.crowd import Crowd, fill
from tests.scripted import connected
from tests.scripted.scripted_referee import record_of, setup_of
from tests.tournaments.tournament.test_runner import Watcher, bot, cup, run

from polynya_common.errors import NotInStoreError
from polynya_contest.ratings.model import RatingSettings
from polynya_server import ServerSettings
from polynya_store import (
    Attempt,
    MatchFilter,
    MatchRow,
    Pool,
    ScheduleRow,
    Store,
    StoreJournal,
    visibility,
)
from polynya_store.matches import match_list

DELAY_MS = 60_000
BEGAN_MS, ENDED_MS = 1_000_000, 1_030_000
PACKEIS = Pool("packeis", 2, "elo", "ultrabullet")
BEGUN, ENDED = BEGAN_MS + DELAY_MS, ENDED_MS + DELAY_MS
"""When the public is told that the match has begun, and that it has ended."""

At = Callable[[int], Store]


@pytest.fixture
async def at(store: Store, journal: StoreJournal, monkeypatch: pytest.MonkeyPatch) -> At:
    """A database with one match that ended by a forfeit, as it is asked at a moment."""
    setup = await journal.begin(Attempt(setup_of("m", "ann", "bob"), RatingSettings()))
    await journal.finish(record_of(setup, [1, 2], reason="forfeit", forfeits={1: "timeout"}))
    with store.database.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE matches SET started_ms = ?, finished_ms = ?", (BEGAN_MS, ENDED_MS)
        )
    store.live_delay.ms = DELAY_MS

    def asked(now_ms: int) -> Store:
        monkeypatch.setattr(visibility, "now_ms", lambda: now_ms)
        return store

    return asked


def listed(store: Store, in_play: bool | None) -> list[str]:
    return [row.match for row in store.matches.page(MatchFilter(in_play=in_play)).rows]


def results(row: MatchRow) -> list[tuple[int | None, int | None, str | None]]:
    return [(seat.rank, seat.score, seat.forfeit) for seat in row.seats]


@pytest.mark.parametrize(
    ("now_ms", "in_play", "ended"),
    [
        (BEGUN - 1, [], []),
        (BEGUN, ["m"], []),
        (ENDED - 1, ["m"], []),
        (ENDED, [], ["m"]),
    ],
)
async def test_a_match_is_listed_as_it_was_then(
    at: At, now_ms: int, in_play: list[str], ended: list[str]
) -> None:
    store = at(now_ms)
    assert (listed(store, True), listed(store, False)) == (in_play, ended)
    assert listed(store, None) == in_play + ended


async def test_match_shown_in_play_has_no_result(at: At) -> None:
    store = at(ENDED - 1)
    [listed_row] = store.matches.page(MatchFilter()).rows
    for row in (listed_row, store.matches.get_public("m")):
        assert (row.reason, row.finished_ms, row.termination) == (None, None, None)
        assert results(row) == [(None, None, None)] * 2
    assert store.matches.get_public("m").started_ms == BEGAN_MS


async def test_match_shown_as_ended_has_its_result(at: At) -> None:
    row = at(ENDED).matches.get_public("m")
    assert (row.reason, row.finished_ms) == ("forfeit", ENDED_MS)
    assert results(row) == [(1, 9, None), (2, 8, "timeout")]


async def test_match_not_yet_shown_is_unknown(at: At) -> None:
    with pytest.raises(NotInStoreError, match="no match m"):
        at(BEGUN - 1).matches.get_public("m")


@pytest.mark.parametrize(("now_ms", "count"), [(ENDED - 1, 0), (ENDED, 1)])
async def test_page_of_a_bot_counts_shown_matches(at: At, now_ms: int, count: int) -> None:
    store = at(now_ms)
    assert sum(store.profiles.forfeits("bob").values()) == count
    assert len(store.profiles.opponents("ann", PACKEIS)) == count
    assert len(store.profiles.rating_history("ann", PACKEIS)) == count


async def test_the_operator_sees_what_is(at: At) -> None:
    store = at(BEGUN - 1)
    assert [row.reason for row in store.matches.find()] == ["forfeit"]


@pytest.mark.parametrize(
    ("now_ms", "state", "match", "ranks"),
    [
        (BEGUN - 1, "open", False, [None, None]),
        (ENDED - 1, "in_play", True, [None, None]),
        (ENDED, "played", True, [1, 2]),
    ],
)
def test_schedule_has_the_shown_results(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    now_ms: int,
    state: str,
    match: bool,
    ranks: list[int | None],
) -> None:
    path = tmp_path / "cup.sqlite"
    fill(path, Crowd(bots=4, matches=10, tournaments=1))
    with Store.open(path, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql(
                "UPDATE matches SET started_ms = ?, finished_ms = ?", (BEGAN_MS, ENDED_MS)
            )
        before = store.tournaments.schedule_page("cup-1")[0]
        store.live_delay.ms = DELAY_MS
        monkeypatch.setattr(visibility, "now_ms", lambda: now_ms)
        row: ScheduleRow = store.tournaments.schedule_page("cup-1")[0]
    assert sorted(seat.rank or 0 for seat in before.seats) == [1, 2]
    assert (row.state, row.match is not None) == (state, match)
    assert sorted(seat.rank or 0 for seat in row.seats) == [rank or 0 for rank in ranks]
    assert {seat.name for seat in row.seats} == {seat.name for seat in before.seats}


def test_matches_in_play_are_found_by_index(tmp_path: Path) -> None:
    path = tmp_path / "season.sqlite"
    fill(path, Crowd(bots=10, matches=500, tournaments=1))
    asked: list[tuple[str, tuple[object, ...]]] = []

    def note(_c: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        assert isinstance(parameters, tuple)
        asked.append((statement, parameters))

    with Store.open(path) as store, store.database.reading() as connection:
        sa.event.listen(connection, "before_cursor_execute", note)
        match_list.match_page(connection, MatchFilter(in_play=True), shown_until_ms=ENDED_MS)
        sa.event.remove(connection, "before_cursor_execute", note)
        steps = [
            row.detail
            for statement, parameters in asked
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
    assert [step for step in steps if step.startswith("SCAN matches")] == []


class Begun(Watcher):
    """Sets an event when the server listens."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = trio.Event()

    def listening(self, host: str, port: int) -> None:
        super().listening(host, port)
        self.begun.set()


async def test_spectators_see_the_end_before_the_tournament_is_over(store: Store) -> None:
    watcher = Begun()
    configuration = cup(store, bot("ann"), bot("bob"))
    configuration = msgspec.structs.replace(configuration, server=ServerSettings(live_delay_s=1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, configuration, store, watcher, None, 0)
        await watcher.begun.wait()
        assert watcher.address is not None
        async with connected(watcher.address.host, watcher.address.port) as client:
            await client.hello(role="spectator")
            await client.send(type="watch", all=True)
            await client.expect_end()
            told = [message["type"] for message in client.of_type("match_over", "goodbye")]
    assert told == ["match_over", "match_over", "goodbye"]
    assert store.live_delay.ms == 1_000
