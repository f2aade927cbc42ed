"""Ratings from match to match: anchors, versions, both systems, and the same numbers again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_app.application import run
from polynya_contest.ratings.elo import LARGEST_DEVIATION, stationary_deviation
from polynya_contest.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
    rate_match,
    version_of,
)
from polynya_contest.ratings.opponent_bound import BoundedMatch, OpponentSum
from polynya_protocol.messages import Software
from polynya_server.records import MatchRecord
from polynya_store import Attempt, RatingRow, Store, StoreJournal, open_journal

CONSTANT = RatingSettings(k_factor=32, k_first=32, provisional_games=3)
SKILL = RatingSettings(system="openskill")
KNOWN = BotStrength("1", {"1": Strength(1600.0, 60.0, 50)}, 50)


def test_a_bot_without_matches_begins_in_the_middle_and_quite_uncertain() -> None:
    assert initial_strength(RatingSettings(), None, None) == Strength(1500, LARGEST_DEVIATION, 0)


def test_every_version_goes_on_where_the_bot_was() -> None:
    known = BotStrength("1", {"1": Strength(1600.0, 60.0, 50), "2": Strength(1700.0, 90.0, 9)}, 59)
    assert initial_strength(RatingSettings(), known, None) == Strength(1600.0, 60.0, 59)


def test_former_anchor_is_uncertain() -> None:
    anchor = BotStrength("", {"": Strength(1700.0, 0.0, 9)}, 9)
    found = initial_strength(RatingSettings(), anchor, None)
    assert found == Strength(1700.0, stationary_deviation(RatingSettings().k_factor), 9)


@given(
    st.sampled_from([RatingSettings(), SKILL]),
    st.permutations([1, 2, 3]),
    st.floats(-1, 1),
)
def test_an_anchor_stays_where_it_is_and_others_change_against_it(
    settings: RatingSettings, ranking: list[int], above: float
) -> None:
    anchor = settings.unrated.rating + above * settings.largest_deviation
    anchors = (anchor, None, None)
    before = [initial_strength(settings, None, fixed) for fixed in anchors]
    after = rate_match(settings, before, ranking, anchors)
    assert after[0] == Strength(anchor, 0.0, 1)
    assert all(0 < strength.deviation < settings.largest_deviation for strength in after[1:])


@given(st.permutations([1, 2, 3, 4]), st.lists(st.floats(5, 45), min_size=4, max_size=4))
def test_openskill_is_the_librarys(ranking: list[int], ratings: list[float]) -> None:
    before = [Strength(rating, 4.0, 7) for rating in ratings]
    model = PlackettLuce()
    teams = [[model.rating(mu=rating, sigma=4.0)] for rating in ratings]
    expected = [(t[0].mu, t[0].sigma, 8) for t in model.rate(teams, ranks=list(ranking))]
    after = rate_match(SKILL, before, ranking, [None] * 4)
    assert [(s.rating, s.deviation, s.games) for s in after] == expected


@pytest.mark.parametrize(
    ("software", "version"),
    [
        (None, ""),
        (Software(name="x"), ""),
        (Software(version="1.2"), "1.2"),
        (Software(version="\x1b[31m1"), "?[31m1"),
        (Software(version="9" * 70), "9" * 64 + "..."),
    ],
)
def test_versions_are_text_that_may_be_shown(software: Software | None, version: str) -> None:
    assert version_of(software) == version


class Season:
    """Ladder matches whose results are given; seats are written ``name`` or ``name@version``."""

    def __init__(
        self, journal: StoreJournal, settings: RatingSettings, name: str = "ladder"
    ) -> None:
        self._journal = journal
        self._settings = settings
        self._name = name
        self._number = 0

    async def play(self, *seats: str, ranking: Sequence[int] = (1, 2, 3, 4)) -> MatchRecord:
        self._number += 1
        names, versions = zip(*(seat.partition("@")[::2] for seat in seats), strict=True)
        setup = setup_of(f"{self._name}-{self._number}", *names)
        setup = await self._journal.begin(Attempt(setup, self._settings))
        software = [Software(version=version) if version else None for version in versions]
        record = record_of(setup, list(ranking[: len(seats)]))
        record = msgspec.structs.replace(record, software=software)
        await self._journal.finish(record)
        return record


def row_of(store: Store, bot: str) -> RatingRow:
    [row] = [row for row in store.ratings.find() if row.bot == bot]
    return row


async def test_a_rating_is_recorded_with_its_deviation(store: Store, journal: StoreJournal) -> None:
    await Season(journal, CONSTANT).play("ann@1", "bob")
    row = row_of(store, "ann")
    assert (row.rating, row.games, row.version, row.system) == (1516.0, 1, "1", "elo")
    # Glicko's: g(350) = 0.669, so 1 / 350² + (ln 10 / 400)² g² / 4 = 1 / 290.3².
    assert row.deviation == pytest.approx(290.3, abs=0.1)
    assert row.interval == pytest.approx((1516 - 1.96 * 290.3, 1516 + 1.96 * 290.3), abs=0.2)


async def test_few_matches_make_a_provisional_rating(store: Store, journal: StoreJournal) -> None:
    season, marks = Season(journal, CONSTANT), []
    for _ in range(4):
        await season.play("ann", "bob")
        marks.append(row_of(store, "ann").provisional)
    assert marks == [True, True, False, False]


async def test_the_first_matches_change_most(store: Store, journal: StoreJournal) -> None:
    season = Season(journal, RatingSettings(k_factor=16, k_first=128, provisional_games=2))
    for _ in range(3):
        await season.play("ann", "bob")
    with store.database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT k_factor FROM rating_changes WHERE seat = 0")
        assert [row.k_factor for row in rows] == pytest.approx([128, 2 / (1 / 128 + 1 / 16), 16])


async def test_an_anchor_keeps_its_rating_in_the_database(
    store: Store, journal: StoreJournal
) -> None:
    season = Season(journal, RatingSettings(anchors={"bob": 1800.0}))
    record = await season.play("ann", "bob")
    assert record.setup.ratings == (1500.0, 1800.0)
    await season.play("bob", "ann")
    row = row_of(store, "bob")
    assert (row.rating, row.deviation, row.anchor, row.provisional) == (1800.0, 0.0, True, False)
    assert store.ratings.differences() == []


async def test_each_versions_rating_is_kept_and_the_name_has_its_latest(
    store: Store, journal: StoreJournal
) -> None:
    season = Season(journal, CONSTANT)
    for seats in (("ann@1", "bob"), ("ann@2", "bob"), ("bob", "ann@2"), ("ann@1", "bob")):
        await season.play(*seats)
    first, second = [row for row in store.ratings.versions() if row.bot == "ann"]
    assert (first.version, first.games, first.present) == ("1", 2, True)
    assert (second.version, second.games, second.present) == ("2", 2, False)
    assert (first.first_match, second.first_match) == ("ladder-1", "ladder-2")
    row = row_of(store, "ann")
    assert (row.version, row.rating, row.games) == ("1", first.rating, 4)


@pytest.mark.parametrize("settings", [RatingSettings(), SKILL])
async def test_declaring_versions_buys_nothing(settings: RatingSettings, store: Store) -> None:
    """The same results give the same ratings, deviations and marks, whatever versions say."""
    ranking = [[1, 2], [1, 2], [2, 1], [1, 2], [2, 1], [1, 1]] * 12
    rows = []
    async with open_journal(store) as journal:
        for name, versions in (("same", ["1"]), ("new", range(99)), ("back", ["1", "2", "3"])):
            season = Season(journal, settings, name)
            for number, places in enumerate(ranking):
                version = versions[number % len(versions)]
                await season.play(f"{name}@{version}", f"{name}-rival", ranking=places)
            rows.append(row_of(store, name))
    assert {(row.rating, row.deviation, row.games, row.provisional) for row in rows} == {
        (rows[0].rating, rows[0].deviation, 72, False)
    }


async def test_each_system_has_ratings_of_its_own(store: Store, journal: StoreJournal) -> None:
    await Season(journal, CONSTANT).play("ann", "bob", "cid")
    record = await Season(journal, SKILL, "other").play("bob", "ann", "cid")
    assert record.setup.ratings == (25.0, 25.0, 25.0)
    assert {(row.system, row.games) for row in store.ratings.find()} == {
        ("elo", 1),
        ("openskill", 1),
    }
    best = store.ratings.find(system="openskill")[0]
    assert best.bot == "bob"
    assert best.ordinal == best.rating - 3 * best.deviation


@pytest.mark.parametrize(
    "settings",
    [
        RatingSettings(anchors={"dot": 1600.0}, provisional_games=5),
        RatingSettings(system="openskill", anchors={"dot": 27.0}),
    ],
)
async def test_the_results_give_all_the_same_numbers_again(
    settings: RatingSettings, store: Store, journal: StoreJournal
) -> None:
    season = Season(journal, settings)
    names = ["ann", "bob", "cid", "dot"]
    for number in range(40):
        count = 2 + number % 3
        seated = [names[(number * 7 + seat) % 4] for seat in range(count)]
        versions = [f"{name}@{(number // 5 + len(name)) % 3}" for name in seated]
        await season.play(*versions, ranking=[1 + (number >> seat) % 3 for seat in range(count)])
    assert store.ratings.differences() == []
    before = store.ratings.find(), store.ratings.versions()
    store.ratings.recompute()
    assert before == (store.ratings.find(), store.ratings.versions())


async def play_often(season: Season, winner: str, loser: str, matches: int) -> None:
    for _ in range(matches):
        await season.play(winner, loser, ranking=[1, 2])


def rating(store: Store, bot: str) -> float:
    [found] = [row.rating for row in store.ratings.find() if row.bot == bot]
    return found


OTHERS = ["bot-" + str(number) for number in range(18)]


async def test_an_opponent_that_loses_on_purpose_lifts_a_rating_only_once(
    store: Store, journal: StoreJournal
) -> None:
    season = Season(journal, RatingSettings(k_factor=16, k_first=16))
    for one, other in zip(OTHERS[::2], OTHERS[1::2], strict=True):
        await season.play(one, other)
    await play_often(season, "ann", "feeder", 60)
    assert round(rating(store, "ann")) == 1500 + 64
    await play_often(season, "ann", "second", 60)
    assert round(rating(store, "ann")) == 1500 + 2 * 64
    assert store.ratings.differences() == []


async def test_two_bots_alone_are_rated_by_their_results(
    store: Store, journal: StoreJournal
) -> None:
    season = Season(journal, RatingSettings(k_factor=16, k_first=16))
    await play_often(season, "ann", "bob", 60)
    assert rating(store, "ann") > 1500 + 150


async def test_the_sum_of_an_opponent_fades_while_others_are_met() -> None:
    known = OpponentSum(64.0, 10)
    assert [known.faded(games) for games in (10, 510, 1010)] == [64.0, 32.0, 16.0]


async def test_bots_that_count_as_one_opponent_share_its_bound() -> None:
    bound = BoundedMatch((1, 2, 3), (1, 9, 9), (0, 0, 0), {}, 64.0)
    assert [bound.bounded(0, 1, 50.0), bound.bounded(0, 2, 50.0)] == [50.0, 14.0]
    assert bound.bounded(0, 1, -20.0) == -20.0


async def test_matches_of_earlier_versions_are_rated_in_full(
    store: Store, journal: StoreJournal
) -> None:
    season = Season(journal, RatingSettings(k_factor=16, k_first=16))
    for one, other in zip(OTHERS[::2], OTHERS[1::2], strict=True):
        await season.play(one, other)
    await play_often(season, "ann", "feeder", 30)
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE matches SET rating_method = 1")
    assert store.ratings.differences()
    store.ratings.recompute()
    assert rating(store, "ann") > 1500 + 100


async def test_rating_changed_by_hand_is_named(store: Store, journal: StoreJournal) -> None:
    await Season(journal, CONSTANT).play("ann@1", "bob")
    with store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE version_ratings SET deviation = 1 WHERE version = '1'")
    [found] = store.ratings.differences()
    assert (found.bot, found.version, found.figure, found.recorded) == ("ann", "1", "deviation", 1)


async def test_the_table_shows_intervals_and_marks(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await Season(journal, RatingSettings(anchors={"bob": 1800.0})).play("ann@1.2", "bob")
    assert run(["ratings", "--database", str(store.address)]) == 0
    best, second = [line for line in capsys.readouterr().out.splitlines() if "packeis" in line]
    assert [cell.strip() for cell in best.split("│")[1:-1]] == [
        "1", "bob", "", "packeis", "2", "ultrabullet", "1800", "1800 to 1800", "1", "anchor",
    ]  # fmt: skip
    assert second.split("│")[3].strip() == "1.2"
    assert "provisional" in second


async def test_the_table_of_versions_names_their_first_matches(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    season = Season(journal, CONSTANT)
    await season.play("ann@1.2", "bob")
    await season.play("ann@1.3", "bob")
    assert run(["ratings", "--versions", "--database", str(store.address)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "ladder-" in line]
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines]
    assert [(row[0], row[1], row[-1]) for row in cells] == [
        ("ann", "1.2", "ladder-1"),
        ("ann", "1.3", "ladder-2"),
        ("bob", "none declared", "ladder-1"),
    ]
