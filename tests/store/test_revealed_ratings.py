"""A match that ends when its tournament's results have just become public is rated once."""

from __future__ import annotations

import sqlalchemy as sa
from tests.scripted.scripted_referee import record_of
from tests.store.test_match_journal import Cup, cup, ladder_match, rated_order

from polynya_store import Store, StoreJournal, schema

__all__ = ["cup"]

LATER_MS = 4_000_000_000_000


def reveal(store: Store) -> None:
    """Let the time from which results are shown have come."""
    with store.database.writing() as connection:
        connection.execute(sa.update(schema.tournaments).values(results_from_ms=1))


async def test_match_that_ends_after_the_reveal_is_recorded_and_rated_once(
    store: Store, cup: Cup
) -> None:
    store.tournaments.hide_results("cup", LATER_MS)
    await cup.win(1)
    setup = await cup.begin(2)
    reveal(store)
    changes = await cup.journal.finish(record_of(setup, [1, 2]))
    assert (rated_order(store), len(changes)) == (["cup-1", "cup-2"], 2)
    assert (store.matches.get("cup-2").reason, await cup.left()) == ("finished", [3, 4, 5, 6])
    assert store.ratings.differences() == []


async def test_first_match_of_a_frozen_table_is_rated_once_if_it_ends_after_the_reveal(
    store: Store, cup: Cup
) -> None:
    await cup.win(1)
    began_ms = store.matches.get("cup-1").started_ms
    store.tournaments.hide_results("cup", LATER_MS, began_ms + 1)
    setup = await cup.begin(2)
    reveal(store)
    await cup.journal.finish(record_of(setup, [2, 1]))
    assert rated_order(store) == ["cup-1", "cup-2"]
    assert store.ratings.differences() == []


async def test_match_that_had_been_given_up_is_rated_once_if_it_ends_after_the_reveal(
    store: Store, cup: Cup
) -> None:
    given_up = (await cup.journal.open_pairings(cup.id))[0]
    setup = await cup.begin(1)
    store.tournaments.hide_results("cup", LATER_MS)
    await cup.win(2)
    await cup.journal.abandon(cup.id, [given_up.id], "bot bob is ill")
    reveal(store)
    await cup.journal.finish(record_of(setup, [1, 2]))
    assert rated_order(store) == ["cup-1", "cup-2"]
    assert store.ratings.differences() == []


async def test_revealed_matches_are_rated_before_a_ladder_match_that_ends_later(
    store: Store, journal: StoreJournal, cup: Cup
) -> None:
    store.tournaments.hide_results("cup", LATER_MS)
    await cup.win(1)
    reveal(store)
    await journal.finish(record_of(await ladder_match(journal, 1, "ann", "bob"), [1, 2]))
    assert rated_order(store) == ["cup-1", "ladder-1"]
