"""Duplicate deals in the database: one for a block, which is closed until all its matches end."""

from __future__ import annotations

import random

import pytest
import sqlalchemy as sa
from tests.scripted.scripted_referee import record_of
from tests.store.test_tournament_table import begin, play

from polynya_common.errors import NotInStoreError
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.secret import Secret
from polynya_protocol.messages import Clock
from polynya_server.records import MatchSetup
from polynya_store import Attempt, OpenPairing, Store, StoreJournal, schema, why_not_seen
from polynya_store.tournaments import tournament_secrets


async def begun(journal: StoreJournal, one: OpenPairing, number: int = 1) -> MatchSetup:
    """A match with a duplicate deal that has begun."""
    suffix = f".{number}" if number > 1 else ""
    setup = MatchSetup(
        match=f"cup-{one.pairing.number}{suffix}",
        game="packeis",
        players=one.pairing.players,
        clock=Clock(move_ms=100),
        seed=one.pairing.seed,
    )
    rating = RatingSettings()
    return await journal.begin(
        Attempt(setup, rating, one.id, number, is_dealt=True, is_duplicate=True)
    )


def mark_duplicate(store: Store) -> None:
    with store.database.writing() as connection:
        connection.execute(sa.update(schema.tournaments).values(duplicate=True))


async def test_all_matches_of_a_block_have_one_deal_and_no_other_block_has_it(
    journal: StoreJournal,
) -> None:
    drawn = await begin(journal, 2)
    found = [(await begun(journal, one)).deal for one in drawn[:4]]
    assert found[0] == found[1] != found[2] == found[3]


async def test_annulled_match_is_played_again_with_the_same_deal(journal: StoreJournal) -> None:
    [one, *_] = await begin(journal, 2)
    first = await begun(journal, one)
    await journal.finish(record_of(first, None, reason="annulled"))
    assert (await begun(journal, one, 2)).deal == first.deal


async def test_block_that_has_begun_keeps_its_deal_when_the_database_is_restored(
    store: Store, journal: StoreJournal
) -> None:
    drawn = await begin(journal, 2)
    first = await begun(journal, drawn[0])
    with store.database.writing() as connection:
        tournament_secrets.add_for_tournament(connection, 1, Secret.new())
    assert (await begun(journal, drawn[1])).deal == first.deal


@pytest.mark.parametrize("played", [1, 2])
async def test_match_is_closed_until_all_with_its_deal_are_over(
    store: Store, journal: StoreJournal, played: int
) -> None:
    drawn = await begin(journal, 2)
    mark_duplicate(store)
    for one in drawn[:played]:
        await play(journal, one, random.Random(1))
    row = store.matches.get_public("cup-1")
    assert (row.kept_back, row.unwatched) == (played == 1, played == 1)
    assert row.seats[0].rank is not None
    if played == 1:
        with pytest.raises(NotInStoreError, match="when all matches with its deal are over"):
            store.matches.public_replay("cup-1")
    else:
        assert store.matches.public_replay("cup-1")


async def test_match_in_play_may_not_be_watched(store: Store, journal: StoreJournal) -> None:
    [one, *_] = await begin(journal, 2)
    mark_duplicate(store)
    setup = await begun(journal, one)
    why = why_not_seen(store.matches.get_public(setup.match))
    assert "deal" in str(why)
