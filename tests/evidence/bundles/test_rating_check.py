"""Ratings in a bundle are those that the bots had, or are said to be unchecked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polynya_contest.pairing.formats import Entrant
from polynya_contest.ratings.model import RatingSettings, Strength, rate_match
from polynya_evidence.bundles.rating_check import PublishedRatings, rating_differences
from polynya_evidence.reports.evidence import DrawnMatch, Evidence, MatchOutcome, Schedule
from polynya_protocol.messages import Clock
from polynya_server.records import MatchSetup
from polynya_store.ratings.rating_repository import Step

SETTINGS = RatingSettings()
PLAYERS = ("ann", "bob")


def rated(*before: Sequence[Strength]) -> Evidence:
    """Matches of two bots with these ratings before them; Ann wins each."""
    matches = [
        DrawnMatch(
            number=number,
            block="x",
            players=PLAYERS,
            seed="1",
            state="played",
            match=f"cup-{number}",
            online=tuple(map(Step, ("", ""), strengths, after(strengths))),
        )
        for number, strengths in enumerate(before, start=1)
    ]
    entrants = tuple(Entrant(*pair) for pair in zip(PLAYERS, (1500.0, 1500.0), strict=True))
    return Evidence(
        Schedule(tournament="cup", description={}, entrants=entrants, matches=tuple(matches)),
        {str(one.match): MatchOutcome(PLAYERS, (1, 2), (1, 0)) for one in matches},
    )


def after(strengths: Sequence[Strength]) -> Sequence[Strength]:
    return rate_match(SETTINGS, strengths, (1, 2), (None, None))


NEW = (SETTINGS.unrated, SETTINGS.unrated)
SECOND = after(NEW)


def set_up(*ratings: float) -> MatchSetup:
    return MatchSetup(
        match="cup-2", game="x", players=PLAYERS, clock=Clock(move_ms=1), seed=1, ratings=ratings
    )


def test_ratings_that_follow_on_each_other_hold() -> None:
    assert list(rating_differences(SETTINGS, rated(NEW, SECOND))) == []


def test_match_that_was_given_up_and_played_later_is_rated_later() -> None:
    assert list(rating_differences(SETTINGS, rated(SECOND, NEW))) == []


def test_bot_that_does_not_go_on_from_where_it_was_is_named() -> None:
    more = (replace(SECOND[0], rating=1900.0), SECOND[1])
    [sentence] = rating_differences(SETTINGS, rated(NEW, more))
    assert sentence.startswith("cup-2: the online rating of ann before it[0] is 1900.0, ")


def test_new_bot_has_the_rating_of_new_bots() -> None:
    better = (replace(NEW[0], rating=1600.0), NEW[1])
    [sentence] = rating_differences(SETTINGS, rated(better))
    assert sentence.startswith("cup-1: the online rating of ann before it[0] is 1600.0, ")


def test_bot_cannot_have_played_fewer_matches_than_before() -> None:
    fewer = (replace(SECOND[0], games=1), replace(SECOND[1], games=1))
    found = list(rating_differences(SETTINGS, rated(SECOND, after(SECOND), fewer)))
    assert any("is that after 1 matches, but it had played more" in one for one in found)


def test_more_certain_rating_than_there_is_is_named() -> None:
    certain = (Strength(1700.0, 1.0, 9), NEW[1])
    found = list(rating_differences(SETTINGS, rated(certain)))
    assert any("before it is impossible" in one for one in found)


def test_rating_in_a_set_up_that_a_bot_never_had_is_named() -> None:
    evidence = rated(NEW, SECOND)
    honest = set_up(SECOND[0].rating, 1500.0)
    assert list(PublishedRatings(evidence, [honest]).differences()) == []
    lie = set_up(2000.0, 1500.0)
    assert list(PublishedRatings(evidence, [lie]).differences()) == [
        "cup-2: the set-up: 2000.0 is no rating that ann had"
    ]


def test_ratings_of_a_bot_that_played_elsewhere_meanwhile_are_unchecked() -> None:
    later = (replace(SECOND[0], games=5, rating=1800.0), SECOND[1])
    published = PublishedRatings(rated(NEW, later), [set_up(1750.0, 1500.0)])
    assert list(published.differences()) == []
    assert list(published.unchecked()) == [
        "not checked: ratings of ann, which has played in other contests meanwhile "
        "(1; cup-2: the set-up: 1750.0 is no rating that ann had)"
    ]
