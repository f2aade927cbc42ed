"""Rating pools: which matches share their ratings, and which do not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_contest.ratings.model import RatingSettings
from polynya_contest.ratings.pool import clock_class, variant
from polynya_protocol.messages import Clock
from polynya_store import Attempt, Pool, Store, StoreJournal


@pytest.mark.parametrize(
    ("clock", "name"),
    [
        (Clock(initial_ms=29_999), "ultrabullet"),
        (Clock(initial_ms=30_000), "bullet"),
        (Clock(initial_ms=60_000, increment_ms=500), "bullet"),
        (Clock(initial_ms=100_000, increment_ms=2_000), "blitz"),
        (Clock(initial_ms=180_000), "blitz"),
        (Clock(initial_ms=480_000), "rapid"),
        (Clock(initial_ms=1_500_000), "classical"),
        (Clock(move_ms=100), "ultrabullet"),
        (Clock(move_ms=5_000), "blitz"),
        (Clock(initial_ms=600_000, move_ms=1_000), "bullet"),
        (Clock(initial_ms=20_000, move_ms=60_000), "ultrabullet"),
    ],
)
def test_a_clock_class_goes_by_the_estimated_thinking_time(clock: Clock, name: str) -> None:
    assert clock_class(clock) == name


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, ""),
        ({"layout": "random"}, ""),
        ({"layout": "even"}, 'layout="even"'),
        ({"rows": [9, 8], "layout": "even"}, 'layout="even", rows=[9,8]'),
    ],
)
def test_a_variant_names_the_unusual_options(options: dict[str, Any], text: str) -> None:
    assert variant("packeis", options) == text


def test_a_long_value_of_an_option_is_told_by_its_digest() -> None:
    one, other = (variant("packeis", {"fish": [1] * 59 + [last]}) for last in (1, 2))
    assert one != other
    assert len(one) == len("fish=#") + 12


def test_options_of_a_game_that_is_not_installed_are_all_named() -> None:
    assert variant("no_such_game", {"size": 7}) == "size=7"


async def play(journal: StoreJournal, match: str, clock: Clock, **options: Any) -> None:
    setup = msgspec.structs.replace(setup_of(match, "ann", "bob"), clock=clock, options=options)
    setup = await journal.begin(Attempt(setup, RatingSettings()))
    await journal.finish(record_of(setup, [1, 2]))


async def test_each_pool_has_ratings_of_its_own(store: Store, journal: StoreJournal) -> None:
    bullet, blitz = Clock(initial_ms=60_000), Clock(initial_ms=200_000)
    for number, (clock, options) in enumerate(
        [(bullet, {}), (blitz, {}), (bullet, {"layout": "even"}), (Clock(move_ms=2_000), {})], 1
    ):
        await play(journal, f"ladder-{number}", clock, **options)
    games = {row.pool: row.games for row in store.ratings.find() if row.bot == "ann"}
    assert games == {
        Pool("packeis", 2, "elo", "blitz"): 1,
        Pool("packeis", 2, "elo", "bullet"): 2,
        Pool("packeis", 2, "elo", "bullet", 'layout="even"'): 1,
    }
    assert store.ratings.differences() == []


async def test_what_asks_for_a_pool_gets_no_other(store: Store, journal: StoreJournal) -> None:
    await play(journal, "ladder-1", Clock(initial_ms=60_000))
    await play(journal, "ladder-2", Clock(initial_ms=200_000))
    pool = Pool("packeis", 2, "elo", "blitz")
    pasts, matches = store.ladder.pasts(pool)
    assert (matches, [(past.name, past.games) for past in pasts]) == (1, [("ann", 1), ("bob", 1)])
    assert [row.games for row in store.ladder.page(pool).rows] == [1, 1]
    assert [one.matches for one in store.profiles.opponents("ann", pool)] == [1]
    assert [one.match for one in store.profiles.rating_history("ann", pool)] == ["ladder-2"]
    assert {name: one.games for name, one in store.ratings.strengths(pool).items()} == {
        "ann": 1,
        "bob": 1,
    }


async def test_of_a_key_that_is_not_whole_the_largest_pool_is_meant(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, "ladder-1", Clock(initial_ms=60_000))
    await play(journal, "ladder-2", Clock(initial_ms=200_000), layout="even")
    more = msgspec.structs.replace(
        setup_of("ladder-3", "cid", "bob"), clock=Clock(initial_ms=200_000)
    )
    await journal.finish(
        record_of(
            await journal.begin(
                Attempt(msgspec.structs.replace(more, options={"layout": "even"}), RatingSettings())
            ),
            [1, 2],
        )
    )
    largest = store.ratings.largest_pool
    assert largest("packeis", 2, "elo") == Pool("packeis", 2, "elo", "blitz", 'layout="even"')
    assert largest("packeis", 2, "elo", "bullet") == Pool("packeis", 2, "elo", "bullet")
    assert largest("packeis", 2, "elo", variant="") == Pool("packeis", 2, "elo", "bullet")
    assert largest("icecult", 4, "elo") == Pool("icecult", 4, "elo", "unknown")
