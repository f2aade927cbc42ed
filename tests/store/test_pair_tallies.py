"""Results of a ladder, counted by pair of bots: what its order follows from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.crowd import Crowd, fill
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_common.database_address import DatabaseAddress
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.ratings.pair_tallies import LadderEstimate, PairTally
from polynya_store import Attempt, Pool, Store, StoreJournal

PACKEIS = Pool("packeis", 2, "elo", "bullet")
QUICK = Pool("packeis", 2, "elo", "ultrabullet")
ALL = 1_000_000


@pytest.fixture
def season(address: DatabaseAddress) -> Iterator[Store]:
    fill(address, Crowd(bots=8, matches=400, tournaments=1))
    with Store.open(address, for_play=True) as store:
        yield store


def counted(tallies: list[PairTally]) -> int:
    return sum(one.wins + one.ties + one.losses for one in tallies)


async def test_results_are_counted_by_pair_and_seat(store: Store, journal: StoreJournal) -> None:
    for number, ranking in enumerate(([1, 2], [1, 2], [1, 1], [2, 1])):
        setup = await journal.begin(
            Attempt(setup_of(f"m-{number}", "ann", "bob"), RatingSettings())
        )
        await journal.finish(record_of(setup, ranking))
    expected = PairTally("ann", "bob", False, False, 0, 1, wins=2, ties=1, losses=1)
    assert store.ladder.tallies(QUICK, ALL) == [expected]


def test_rated_results_of_the_pool_count_once_each(season: Store) -> None:
    rated = {row.bot: row.games for row in season.ladder.page(PACKEIS).rows}
    tallies = season.ladder.tallies(PACKEIS, ALL)
    found = dict.fromkeys(rated, 0)
    for one in tallies:
        for bot in (one.bot, one.opponent):
            found[bot] += one.wins + one.ties + one.losses
    assert rated == found


def test_only_the_last_matches_count(season: Store) -> None:
    assert counted(season.ladder.tallies(PACKEIS, 50)) == 50


def test_hidden_and_annulled_results_do_not_count(season: Store) -> None:
    everything = counted(season.ladder.tallies(PACKEIS, ALL))
    season.tournaments.hide_results("cup-1", 4_000_000_000_000)
    public = counted(season.ladder.tallies(PACKEIS, ALL))
    season.interventions.annul("bot-0001", 0, "the machine was late")
    corrected = counted(season.ladder.tallies(PACKEIS, ALL))
    assert everything > public > corrected > 0


def test_ladder_is_in_the_order_of_estimates_and_bots_without_one_have_no_rank(
    season: Store,
) -> None:
    with season.database.writing() as connection:
        connection.exec_driver_sql("UPDATE ratings SET provisional = (bot_id = 1)")
    worth = {"bot-0001": 1900.0, "bot-0002": 1500.0, "bot-0003": 1700.0, "bot-0004": 1500.0}
    estimates = {bot: LadderEstimate(value, value, value) for bot, value in worth.items()}
    rows = season.ladder.page(PACKEIS, estimates).rows
    assert [(row.bot, row.rank) for row in rows[:4]] == [
        ("bot-0003", 1),
        ("bot-0002", 2),
        ("bot-0004", 2),
        ("bot-0001", None),
    ]
    assert {row.rank for row in rows[4:]} == {None}
    assert [row.estimate for row in rows[:4]] == [estimates[row.bot] for row in rows[:4]]


def test_anchors_fix_the_scale_or_else_all_bots_with_a_rank(season: Store) -> None:
    with season.database.writing() as connection:
        connection.exec_driver_sql("UPDATE ratings SET provisional = (bot_id = 1)")
    of_all = season.ladder.scale(PACKEIS)
    with season.database.writing() as connection:
        connection.exec_driver_sql("UPDATE ratings SET anchor = true WHERE bot_id = 2")
    assert set(of_all) == {f"bot-000{number}" for number in range(2, 9)}
    assert season.ladder.scale(PACKEIS) == {"bot-0002": of_all["bot-0002"]}
