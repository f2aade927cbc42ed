"""Matches of games with hidden parts are kept back until their round or tournament is over."""

from __future__ import annotations

import random

import pytest
from tests.store.test_tournament_table import begin, play

from polynya_common.errors import NotInStoreError
from polynya_contest.pairing.formats import Block
from polynya_store import OpenPairing, Store, StoreJournal


def kept_back(store: Store) -> set[int]:
    """The rounds of matches that may not be seen whole."""
    rows = store.matches.find(tournament="cup")
    return {round_of(row.block or "") for row in rows if row.kept_back}


def round_of(block: str) -> int:
    return Block(block, ()).round


async def play_through(journal: StoreJournal, drawn: list[OpenPairing], last: int) -> None:
    """Play all matches of the rounds up to this one, and the first of the next."""
    later = [one for one in drawn if round_of(one.pairing.block) > last]
    for one in [*(one for one in drawn if one not in later), *later[:1]]:
        await play(journal, one, random.Random(1))


async def test_match_is_shown_when_it_is_over_unless_it_is_said_otherwise(
    store: Store, journal: StoreJournal
) -> None:
    await play_through(journal, await begin(journal, 2), 1)
    assert set() == kept_back(store)


async def test_match_is_kept_back_until_its_round_is_over(
    store: Store, journal: StoreJournal
) -> None:
    drawn = await begin(journal, 2)
    store.tournaments.set_reveal("cup", "round")
    await play_through(journal, drawn, 1)
    assert {2} == kept_back(store)


async def test_match_is_kept_back_until_its_tournament_is_over(
    store: Store, journal: StoreJournal
) -> None:
    drawn, found = await begin(journal, 2), []
    store.tournaments.set_reveal("cup", "tournament")
    await play_through(journal, drawn, 1)
    found.append(kept_back(store))
    played = {row.match for row in store.matches.find(tournament="cup")}
    for one in drawn:
        if f"cup-{one.pairing.number}" not in played:
            await play(journal, one, random.Random(1))
    found.append(kept_back(store))
    assert [{1, 2}, set()] == found


async def test_replay_of_a_match_that_is_kept_back_is_for_the_host_alone(
    store: Store, journal: StoreJournal
) -> None:
    await play_through(journal, await begin(journal, 2), 1)
    assert store.matches.replay("cup-1") == store.matches.public_replay("cup-1")
    store.tournaments.set_reveal("cup", "tournament")
    with pytest.raises(NotInStoreError, match="can be seen when its round, or the whole of cup"):
        store.matches.public_replay("cup-1")
    assert store.matches.replay("cup-1")


async def test_match_that_is_kept_back_is_not_among_those_that_are_played_again_on_pages(
    store: Store, journal: StoreJournal
) -> None:
    await play_through(journal, await begin(journal, 2), 1)
    shown = len(store.matches.recent_results())
    store.tournaments.set_reveal("cup", "tournament")
    assert (shown > 0, len(store.matches.recent_results())) == (True, 0)
