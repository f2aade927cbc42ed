"""Long lists page by page: nothing twice, nothing left out, and never a walk over everything."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa
from benchmarks.crowd import Crowd, fill
from tests.scripted.scripted_referee import record_of, setup_of
from tests.store.conftest import BOTH

from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import NotInStoreError, StoreError
from polynya_contest.ratings.model import RatingSettings
from polynya_store import (
    Attempt,
    MatchFilter,
    MatchRow,
    Pool,
    Progress,
    Store,
    StoreJournal,
)

CROWD = Crowd(bots=30, matches=3_000, tournaments=2)
PACKEIS = Pool("packeis", 2, "elo", "bullet")


@pytest.fixture(scope="module", params=BOTH)
def season(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Store]:
    """A long season on a small scale, only to be read."""
    address: DatabaseAddress = tmp_path_factory.mktemp("season") / "season.sqlite"
    if request.param == "postgresql":
        address = request.getfixturevalue("postgresql").new()
    fill(address, CROWD)
    with Store.open(address) as store:
        yield store


def pages(store: Store, wanted: MatchFilter, size: int) -> Iterator[tuple[MatchRow, ...]]:
    """All pages from the first to the last."""
    place = None
    while True:
        page = store.matches.page(wanted, older_than=place, size=size)
        yield page.rows
        if page.older is None:
            return
        place = page.older


def plays(row: MatchRow, bot: str) -> bool:
    return bot in [seat.name for seat in row.seats]


FILTERS: list[tuple[MatchFilter, Callable[[MatchRow], bool]]] = [
    (MatchFilter(), lambda _row: True),
    (MatchFilter(game="arktia"), lambda row: row.game == "arktia"),
    (MatchFilter(tournament="cup-2"), lambda row: row.tournament == "cup-2"),
    (MatchFilter(bot="bot-0003"), lambda row: plays(row, "bot-0003")),
    (
        MatchFilter(bot="bot-0003", opponent="bot-0004"),
        lambda row: plays(row, "bot-0003") and plays(row, "bot-0004"),
    ),
    (
        MatchFilter(bot="bot-0003", tournament="cup-1", game="packeis"),
        lambda row: plays(row, "bot-0003") and row.tournament == "cup-1",
    ),
    (MatchFilter(in_play=False), lambda row: row.reason is not None),
    (MatchFilter(in_play=True), lambda row: row.reason is None),
]
IDS = ["all", "game", "tournament", "bot", "both", "bot in tournament", "ended", "in play"]


@pytest.mark.parametrize(("wanted", "fits"), FILTERS, ids=IDS)
def test_the_pages_together_are_all_that_was_asked_for(
    season: Store, wanted: MatchFilter, fits: Callable[[MatchRow], bool]
) -> None:
    expected = [row.match for row in reversed(season.matches.find()) if fits(row)]
    assert expected == [row.match for rows in pages(season, wanted, 37) for row in rows]


@pytest.mark.parametrize(
    "wanted", [MatchFilter(), MatchFilter(tournament="cup-1"), MatchFilter(bot="bot-0003")]
)
def test_one_comes_back_to_the_page_before(season: Store, wanted: MatchFilter) -> None:
    first = season.matches.page(wanted, size=20)
    second = season.matches.page(wanted, older_than=first.older, size=20)
    assert first.newer is None
    assert season.matches.page(wanted, newer_than=second.newer, size=20) == first


def test_a_page_has_the_matches_with_their_seats(season: Store) -> None:
    [row] = season.matches.page(MatchFilter(), size=1).rows
    assert row == season.matches.get(row.match)


def test_attempts_of_one_pairing_may_lie_on_two_pages(address: DatabaseAddress) -> None:
    fill(address, Crowd(bots=4, matches=40, tournaments=1))
    with Store.open(address, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO matches (id, name, pairing_id, attempt, game, players, options, "
                "clock, seed, rated, k_factor, start_rating, started_ms, reason, server_fault) "
                "SELECT 100, name || '.2', pairing_id, 2, game, players, options, clock, seed, "
                "rated, k_factor, start_rating, started_ms, 'aborted', server_fault "
                "FROM matches WHERE id = 3"
            )
            connection.exec_driver_sql(
                "INSERT INTO seats (match_id, seat, bot_id) SELECT 100, seat, bot_id "
                "FROM seats WHERE match_id = 3"
            )
        found = [r.match for rows in pages(store, MatchFilter(tournament="cup-1"), 1) for r in rows]
    assert found == ["cup-1-4", "cup-1-3.2", "cup-1-3", "cup-1-2", "cup-1-1"]


def test_unknown_bots_have_no_matches(season: Store) -> None:
    assert season.matches.page(MatchFilter(bot="nobody")).rows == ()
    assert season.matches.page(MatchFilter(bot="bot-0001", opponent="nobody")).rows == ()


@pytest.mark.parametrize("place", ["", "x", "1.2", "-4", "1" * 30, "٣"])
def test_a_place_that_no_page_named_is_refused(season: Store, place: str) -> None:
    with pytest.raises(StoreError, match="no place in the list of matches"):
        season.matches.page(MatchFilter(), older_than=place)


def test_the_schedule_page_by_page(season: Store) -> None:
    first, second = (
        season.tournaments.schedule_page("cup-1", page=page, size=200) for page in (1, 2)
    )
    assert [row.number for row in (*first, *second)] == list(range(1, 301))
    drawn = {row.number: row for row in season.tournaments.pairings("cup-1")}
    assert [drawn[row.number].match for row in first] == [row.match for row in first]
    assert season.tournaments.schedule_page("cup-1", page=9, size=200) == ()


def test_the_schedule_shows_what_is_in_play_and_what_is_to_come(address: DatabaseAddress) -> None:
    fill(address, Crowd(bots=4, matches=40, tournaments=1))
    with Store.open(address, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE matches SET reason = NULL WHERE id = 2")
            connection.exec_driver_sql("UPDATE matches SET reason = 'annulled' WHERE id = 3")
            connection.exec_driver_sql("UPDATE pairings SET state = 'open' WHERE id IN (2, 3)")
        rows = store.tournaments.schedule_page("cup-1")
    assert [(row.state, row.match) for row in rows] == [
        ("played", "cup-1-1"),
        ("in_play", "cup-1-2"),
        ("open", None),
        ("played", "cup-1-4"),
    ]
    assert [seat.rank for seat in rows[2].seats] == [None, None]


def test_progress_counts_matches_by_what_became_of_them(address: DatabaseAddress) -> None:
    fill(address, Crowd(bots=4, matches=50, tournaments=2))
    with Store.open(address, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE matches SET reason = NULL WHERE id IN (2, 7)")
            connection.exec_driver_sql("UPDATE pairings SET state = 'open' WHERE id = 2")
            connection.exec_driver_sql("UPDATE pairings SET state = 'abandoned' WHERE id = 3")
            connection.exec_driver_sql("UPDATE pairings SET state = 'walkover' WHERE id = 4")
        found = store.tournaments.progress("cup-1")
    assert found == Progress(
        drawn=5, scheduled=4, played=2, abandoned=1, walkovers=1, in_play=1, first_open=2, undrawn=8
    )


def test_forfeits_of_a_tournament_by_bot_and_reason(season: Store) -> None:
    expected = Counter(
        (seat.name, seat.forfeit)
        for row in season.matches.find(tournament="cup-1")
        for seat in row.seats
        if seat.forfeit is not None
    )
    found = season.tournaments.forfeits("cup-1")
    assert expected == {
        (bot, why): number for bot, reasons in found.items() for why, number in reasons.items()
    }


def test_a_tournament_that_is_not_there_has_no_progress(season: Store) -> None:
    with pytest.raises(NotInStoreError, match="no tournament pot; it holds cup-1 and cup-2"):
        season.tournaments.progress("pot")


def test_the_pages_of_a_ladder_are_the_ladder(season: Store) -> None:
    ratings = season.ratings.find(game="packeis", players=2)
    found = [
        row for page in (1, 2, 3, 4) for row in season.ladder.page(PACKEIS, page=page, size=8).rows
    ]
    assert [(row.bot, row.rating, row.games) for row in found] == [
        (row.bot, row.rating, row.games) for row in ratings
    ]
    assert [row.rank for row in found] == [
        None
        if row.provisional
        else 1 + sum(other.rating > row.rating for other in ratings if not other.provisional)
        for row in found
    ]
    assert [row.rank for row in ratings] == [row.rank for row in found]


def test_the_provisional_have_no_rank_and_stand_below(address: DatabaseAddress) -> None:
    fill(address, Crowd(bots=3, matches=200, tournaments=0))
    with Store.open(address, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE ratings SET rating = 1500 + bot_id")
            connection.exec_driver_sql("UPDATE ratings SET provisional = (bot_id = 3)")
        expected = [("bot-0002", 1), ("bot-0001", 2), ("bot-0003", None)]
        page = store.ladder.page(PACKEIS)
        ratings = store.ratings.find(game="packeis", players=2)
        places = [store.profiles.places(row.bot) for row in page.rows]
    assert [(row.bot, row.rank) for row in page.rows] == expected
    assert [(row.bot, row.rank) for row in ratings] == expected
    assert [next(one.rank for one in found if one.pool == PACKEIS) for found in places] == [
        rank for _, rank in expected
    ]


def test_equal_bots_share_a_rank_over_the_end_of_a_page(address: DatabaseAddress) -> None:
    fill(address, Crowd(bots=6, matches=200, tournaments=0))
    with Store.open(address, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE ratings SET rating = 1500, provisional = false")
            connection.exec_driver_sql("UPDATE ratings SET rating = 1600 WHERE bot_id >= 5")
        ranks = [
            [row.rank for row in store.ladder.page(PACKEIS, page=page, size=3).rows]
            for page in (1, 2)
        ]
    assert ranks == [[1, 1, 3], [3, 3, 3]]


def test_forfeits_count_in_their_own_pool(season: Store) -> None:
    of_bot = [
        row
        for row in season.matches.find()
        if row.game == "packeis"
        for seat in row.seats
        if seat.name == "bot-0001" and seat.forfeit is not None
    ]
    [line] = [r for r in season.ladder.page(PACKEIS).rows if r.bot == "bot-0001"]
    assert line.forfeits == len(of_bot)


def test_all_pools_are_named(season: Store) -> None:
    assert season.ratings.pools() == [
        Pool(game, players, "elo", "bullet")
        for game, players in (("arktia", 3), ("icecult", 2), ("packeis", 2))
    ]


def test_a_bots_places_are_those_of_the_ladders(season: Store) -> None:
    expected = [
        (pool, row.rank, row.rating, row.games)
        for pool in season.ratings.pools()
        for row in season.ladder.page(pool).rows
        if row.bot == "bot-0007"
    ]
    found = season.profiles.places("bot-0007")
    assert expected == [(one.pool, one.rank, one.rating, one.games) for one in found]


def test_a_bots_forfeits_by_reason(season: Store) -> None:
    reasons = [
        seat.forfeit
        for row in season.matches.find()
        for seat in row.seats
        if seat.name == "bot-0002" and seat.forfeit is not None
    ]
    assert season.profiles.forfeits("bot-0002") == {why: reasons.count(why) for why in reasons}


def test_opponents_are_counted_from_ones_own_side(season: Store) -> None:
    mine = {one.name: one for one in season.profiles.opponents("bot-0001", PACKEIS)}
    assert sum(one.matches for one in mine.values()) == sum(
        plays(row, "bot-0001") and row.game == "packeis" for row in season.matches.find()
    )
    for name, one in mine.items():
        [back] = [o for o in season.profiles.opponents(name, PACKEIS) if o.name == "bot-0001"]
        assert (back.wins, back.draws, back.losses) == (one.losses, one.draws, one.wins)


async def test_draw_is_no_win(store: Store, journal: StoreJournal) -> None:
    setup = await journal.begin(Attempt(setup_of("m", "ann", "bob"), RatingSettings()))
    await journal.finish(record_of(setup, [1, 1]))
    [one] = store.profiles.opponents("ann", Pool("packeis", 2, "elo", "ultrabullet"))
    assert (one.name, one.matches, one.wins, one.draws, one.losses) == ("bob", 1, 0, 1, 0)


def test_a_long_history_is_thinned_out_and_keeps_its_end(season: Store) -> None:
    [line] = [one for one in season.profiles.places("bot-0001") if one.pool == PACKEIS]
    points = season.profiles.rating_history("bot-0001", PACKEIS, most=20)
    numbers = [point.number for point in points]
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    assert len(steps) == 1
    assert 10 < len(points) <= 20
    assert (numbers[-1], points[-1].rating) == (line.games, line.rating)


def test_a_bot_without_matches_has_no_history(season: Store) -> None:
    assert season.profiles.rating_history("nobody", PACKEIS) == []


Question = Callable[[Store], object]

QUESTIONS: dict[str, Question] = {
    "a game": lambda s: s.matches.page(MatchFilter(game="arktia")),
    "behind a place": lambda s: s.matches.page(MatchFilter(), older_than="9"),
    "in play": lambda s: s.matches.page(MatchFilter(in_play=True)),
    "a bot": lambda s: s.matches.page(MatchFilter(bot="bot-0001", game="arktia")),
    "two bots": lambda s: s.matches.page(MatchFilter(bot="bot-0001", opponent="bot-0002")),
    "a tournament": lambda s: s.matches.page(MatchFilter(tournament="cup-1")),
    "a bot in it": lambda s: s.matches.page(
        MatchFilter(tournament="cup-1", bot="bot-0001"), older_than="9"
    ),
    "schedule": lambda s: s.tournaments.schedule_page("cup-1", page=2),
    "ladder": lambda s: s.ladder.page(PACKEIS, page=2),
    "places": lambda s: s.profiles.places("bot-0001"),
    "forfeits": lambda s: s.profiles.forfeits("bot-0001"),
    "opponents": lambda s: s.profiles.opponents("bot-0001", PACKEIS),
    "history": lambda s: s.profiles.rating_history("bot-0001", PACKEIS),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_goes_through_all_matches(season: Store, name: str) -> None:
    asked: list[tuple[str, tuple[object, ...]]] = []

    def note(_c: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        assert isinstance(parameters, tuple)
        asked.append((statement, parameters))

    sa.event.listen(season.database.backend.engine, "before_cursor_execute", note)
    try:
        QUESTIONS[name](season)
    finally:
        sa.event.remove(season.database.backend.engine, "before_cursor_execute", note)
    with season.database.reading() as connection:
        explain = "EXPLAIN QUERY PLAN"
        if connection.dialect.name == "postgresql":
            explain = "EXPLAIN"
            connection.exec_driver_sql("SET enable_seqscan = off")  # a small table is read whole
        steps = [
            row[-1]
            for statement, parameters in asked
            if statement.startswith(("SELECT", "WITH"))
            for row in connection.exec_driver_sql(f"{explain} {statement}", parameters)
        ]
    assert steps
    large = r"scan (on )?(matches|seats|of_bot|pairings|rating_changes)\b"
    whole = [step for step in steps if re.search(f"^(scan|.*seq {large}|{large})", step, re.I)]
    assert [step for step in whole if re.search(large, step, re.I)] == []
