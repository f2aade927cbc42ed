"""Matches from elsewhere are rated where their times put them, each of them once."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed
from tests.scripted.scripted_referee import record_of, setup_of
from tests.store.kinds import file_only

from polynya_common.errors import StoreError
from polynya_contest.ratings.model import RatingSettings
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import Attempt, Store, StoreJournal
from polynya_store.imports.imported_matches import (
    ForeignMatch,
    ForeignSeat,
    Imported,
    foreign_match_of,
    import_matches,
)

Played = Callable[..., MatchRecord]
BEGAN_MS = 1_700_000_000_000
BOTS = ("anna", "berta", "carla", "dora")


def result(minute: int, *ranked: tuple[str, int], there: str = "") -> ForeignMatch:
    at_ms = BEGAN_MS + 60_000 * minute
    seats = tuple(ForeignSeat(bot, rank) for bot, rank in ranked)
    return ForeignMatch(there, "packeis", seats, at_ms, at_ms, place=f"line {minute}")


def bring(store: Store, found: Sequence[ForeignMatch]) -> Imported:
    return import_matches(store.database, found, "club.csv", "host")


def ratings(store: Store) -> dict[tuple[int, str], float]:
    return {(row.players, row.bot): row.rating for row in store.ratings.find()}


MATCHES = st.lists(
    st.tuples(st.permutations(BOTS), st.sampled_from([(1, 2), (2, 1), (1, 1), (2, 1, 2)])),
    min_size=1,
    max_size=12,
).map(
    lambda drawn: [
        result(minute, *zip(bots, ranks, strict=False))
        for minute, (bots, ranks) in enumerate(drawn)
    ]
)


@settings(max_examples=25, deadline=None)
@given(matches=MATCHES, data=st.data())
def test_ratings_follow_the_times_in_any_order_of_import(
    matches: list[ForeignMatch], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(matches))
    cut = data.draw(st.integers(0, len(matches)))
    with TemporaryDirectory() as folder:
        with Store.open(Path(folder) / "one.sqlite", for_play=True) as store:
            bring(store, matches)
            expected = ratings(store)
        with Store.open(Path(folder) / "other.sqlite", for_play=True) as store:
            bring(store, shuffled[:cut])
            bring(store, shuffled[cut:])
            assert expected == ratings(store)
            assert store.ratings.differences() == []


async def test_earlier_results_are_rated_before_those_of_the_ladder(
    store: Store, journal: StoreJournal
) -> None:
    setup = changed(setup_of("ladder-1"), players=("anna", "berta"))
    await journal.begin(Attempt(setup, RatingSettings()))
    await journal.finish(changed(record_of(setup, [1, 2]), finished_ms=BEGAN_MS + 600_000))
    before = ratings(store)
    assert bring(store, [result(1, ("anna", 2), ("berta", 1))]).recomputed
    assert before != ratings(store)
    assert not bring(store, [result(11, ("anna", 2), ("berta", 1))]).recomputed
    assert store.ratings.differences() == []
    assert [row.action for row in store.interventions.all()] == ["import", "import"]


def test_a_match_is_imported_once(store: Store) -> None:
    found = [result(1, ("anna", 1), ("berta", 2)), result(2, ("anna", 1), ("berta", 2))]
    assert Imported(2, 0, ("anna", "berta"), recomputed=False) == bring(store, found)
    assert Imported(1, 2, ("carla",), recomputed=False) == bring(
        store, [*found, result(3, ("carla", 1), ("berta", 2))]
    )
    assert Imported(0, 2, (), recomputed=False) == bring(store, found)


def test_a_match_of_this_database_is_not_imported(store: Store, played: Played) -> None:
    record = played()
    bring(store, [foreign_match_of(record, "here")])
    [row] = store.matches.find()
    again = changed(record, setup=changed(record.setup, match=row.match))
    assert bring(store, [foreign_match_of(again, "there")]).known == 1


@pytest.mark.parametrize("twice", [True, False])
def test_another_result_of_the_same_match_is_refused(store: Store, twice: bool) -> None:
    one = result(1, ("anna", 1), ("berta", 2), there="cup-3")
    other = replace(one, seats=one.seats[::-1], place="line 9")
    other = replace(one, seats=(ForeignSeat("anna", 2), ForeignSeat("berta", 1)), place="line 9")
    found = [one, other] if twice else [other]
    if not twice:
        bring(store, [one])
    with pytest.raises(StoreError, match="line 9: the match cup-3 is there already, with another"):
        bring(store, [result(5, ("dora", 1), ("anna", 2)), *found])
    assert "dora" not in {row.name for row in store.bots.all()}


def test_a_match_in_the_future_is_refused(store: Store) -> None:
    late = replace(result(1, ("anna", 1), ("berta", 2)), finished_ms=2**50, place="line 4")
    with pytest.raises(StoreError, match="line 4: the match did not end in the past"):
        bring(store, [late])


@file_only
def test_a_match_is_rated_as_the_last_of_its_kind(store: Store) -> None:
    bring(store, [result(1, ("anna", 1), ("berta", 2))])
    with sqlite3.connect(str(store.address)) as connection:
        connection.execute("UPDATE matches SET k_factor = 7")
    bring(store, [result(2, ("anna", 1), ("berta", 2)), result(3, ("anna", 1), ("dora", 1))])
    with sqlite3.connect(str(store.address)) as connection:
        assert connection.execute("SELECT DISTINCT k_factor FROM matches").fetchall() == [(7.0,)]


def test_an_imported_replay_is_marked_and_bears_its_new_id(store: Store, played: Played) -> None:
    record = played("icecult", 3)
    bring(store, [foreign_match_of(record, "a file")])
    [row] = store.matches.find()
    assert row.imported == "club.csv, there icecult-7"
    again = decode_replay(store.matches.replay(row.match))
    assert again.setup.match == row.match
    assert list(again.events) == list(record.events)
    assert row.seed == record.setup.seed


def test_a_result_alone_has_no_replay(store: Store) -> None:
    bring(store, [result(1, ("anna", 1), ("berta", 2))])
    [row] = store.matches.find()
    with pytest.raises(StoreError, match="has no replay: its result alone was imported"):
        store.matches.replay(row.match)
