"""Ratings that grow old: with time without matches they get less certain, by what is recorded."""

from __future__ import annotations

import math

import msgspec
import pytest
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_contest.ratings.elo import LARGEST_DEVIATION, stationary_deviation, stationary_k
from polynya_contest.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
)
from polynya_store import Attempt, Store, StoreJournal

DAY_MS = 86_400_000
YEAR = RatingSettings(k_factor=16, inactivity_days=365)
SETTLED = stationary_deviation(16)
KNOWN = BotStrength("", {"": Strength(1700.0, SETTLED, 500)}, 500, last_ms=DAY_MS)


def after(days: float, settings: RatingSettings = YEAR, known: BotStrength = KNOWN) -> Strength:
    return initial_strength(settings, known, None, DAY_MS + round(days * DAY_MS))


def test_the_variance_grows_evenly_up_to_that_of_a_new_bot() -> None:
    quarter = SETTLED**2 + (LARGEST_DEVIATION**2 - SETTLED**2) / 4
    assert after(365 / 4).deviation == pytest.approx(math.sqrt(quarter))
    assert after(365).deviation == pytest.approx(LARGEST_DEVIATION)
    assert after(9_999).deviation == LARGEST_DEVIATION


def test_the_rating_itself_stays() -> None:
    assert (after(365).rating, after(365).games) == (1700.0, 500)


def test_without_the_setting_no_rating_grows_old() -> None:
    assert after(9_999, RatingSettings(k_factor=16)) == KNOWN.present


def test_a_match_that_ended_before_the_last_one_changes_no_deviation() -> None:
    assert after(-1) == KNOWN.present


def test_k_grows_with_the_deviation_up_to_that_of_a_first_match() -> None:
    assert YEAR.k_of(after(0)) == pytest.approx(16)
    month = after(30)
    assert YEAR.k_of(month) == pytest.approx(stationary_k(month.deviation))
    assert 16 < (YEAR.k_of(month) or 0) < 256
    assert YEAR.k_of(after(365)) == 256


def test_a_rating_that_has_grown_old_has_no_rank() -> None:
    assert not YEAR.is_provisional(after(30))
    assert YEAR.is_provisional(after(60))
    assert not RatingSettings().is_provisional(after(60))


def test_openskill_grows_old_as_well() -> None:
    settings = RatingSettings(system="openskill", inactivity_days=10)
    known = BotStrength("", {"": Strength(30.0, 1.0, 500)}, 500, last_ms=DAY_MS)
    assert after(10, settings, known).deviation == pytest.approx(25 / 3)


async def play(journal: StoreJournal, number: int, day: int) -> None:
    setup = await journal.begin(Attempt(setup_of(f"ladder-{number}", "ann", "bob"), YEAR))
    record = record_of(setup, [1, 2] if number % 2 else [2, 1])
    ended = msgspec.structs.replace(record, started_ms=1, finished_ms=day * DAY_MS)
    await journal.finish(ended)


async def test_ratings_that_are_computed_again_have_grown_old_alike(
    store: Store, journal: StoreJournal
) -> None:
    for number, day in enumerate((1, 2, 3, 200, 201, 150, 900)):
        await play(journal, number, day)
    assert store.ratings.differences() == []
    before = store.ratings.find()
    store.ratings.recompute()
    assert before == store.ratings.find()


async def test_a_pause_shows_in_what_is_recorded(store: Store, journal: StoreJournal) -> None:
    for number in range(40):
        await play(journal, number, 1)
    settled = store.ratings.find()[0].deviation
    await play(journal, 99, 300)
    assert settled < 60 < 200 < store.ratings.find()[0].deviation
