"""Entries and withdrawals of a bundle are those that a host can have made at that moment."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator

import pytest
from msgspec.structs import replace

from polynya_common.reasons import Reason
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
    plan_of,
)
from polynya_contest.pairing.formats import Entrant, format_of
from polynya_contest.pairing.formats.swiss.swiss_settings import SwissSettings
from polynya_contest.pairing.schedule import Pairing, pairings_of
from polynya_contest.pairing.standings import ABSENT, WITHDRAWN
from polynya_contest.secret import Secret
from polynya_evidence.bundles.entrant_check import entrant_differences
from polynya_evidence.reports.evidence import DrawnMatch, Evidence, MatchOutcome, Schedule
from polynya_protocol.messages import Clock
from polynya_store.tournaments.open_pairings import why_missed

CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    format="swiss",
    swiss=SwissSettings(rounds=3),
    bots=[BotConfiguration(name=name, external=True) for name in "abcd"],
    clock=Clock(move_ms=100),
)
MOMENTS = (4, 8, 12)
"""Each of three rounds has four matches, two of each pair."""

ROUND_1, ROUND_2, ROUND_3 = MOMENTS


def played(**withdrawals: tuple[int, int]) -> Evidence:
    """A Swiss of four bots in which the first seat always wins.

    Args:
        withdrawals: by bot, the round in which it has withdrawn, and after which match.
    """
    plan = plan_of(CUP)
    description = json.loads(plan.configuration)
    entrants = tuple(_withdrawn(one, withdrawals) for one in plan.entrants)
    matches: list[DrawnMatch] = []
    while True:
        schedule = Schedule(
            tournament="cup", description=description, entrants=entrants, matches=tuple(matches)
        )
        evidence = Evidence(schedule, _won_by_first(matches))
        there = tuple(_as_at(one, len(matches)) for one in entrants)
        drawn = format_of(description, there).next_blocks(list(evidence.blocks(matches)))
        if not drawn:
            return evidence
        matches += map(_played, pairings_of(drawn, Secret.of_seed(1).match_seed, len(matches)))


def _played(pairing: Pairing) -> DrawnMatch:
    return DrawnMatch(
        number=pairing.number,
        block=pairing.block,
        players=pairing.players,
        seed=str(pairing.seed),
        state="played",
        match=f"cup-{pairing.number}",
    )


def _won_by_first(matches: Iterable[DrawnMatch]) -> dict[str, MatchOutcome]:
    return {str(one.match): MatchOutcome(one.players, (1, 2), (1, 0)) for one in matches}


def _withdrawn(one: Entrant, withdrawals: dict[str, tuple[int, int]]) -> Entrant:
    number, after = withdrawals.get(one.name, (None, None))
    return dataclasses.replace(
        one,
        withdrawn=number,
        withdrawn_after=after,
        entered_ms=1,
        withdrawn_ms=None if number is None else 2,
    )


def _as_at(one: Entrant, drawn: int) -> Entrant:
    if one.withdrawn_after is None or one.withdrawn_after <= drawn:
        return one
    return dataclasses.replace(one, withdrawn=None, withdrawn_after=None)


def said(evidence: Evidence) -> Iterator[str]:
    return entrant_differences(evidence, MOMENTS)


def with_entrant(evidence: Evidence, **changes: object) -> Evidence:
    """The evidence with another first entrant, ``a``."""
    first, *others = evidence.schedule.entrants
    changed = dataclasses.replace(first, **changes)  # type: ignore[arg-type]
    return Evidence(replace(evidence.schedule, entrants=(changed, *others)), evidence.outcomes)


def with_match(evidence: Evidence, number: int, **changes: object) -> Evidence:
    matches = list(evidence.schedule.matches)
    matches[number - 1] = replace(matches[number - 1], **changes)
    return Evidence(replace(evidence.schedule, matches=tuple(matches)), evidence.outcomes)


def test_tournament_without_withdrawals_holds() -> None:
    assert list(said(played())) == []


def test_withdrawal_between_two_rounds_holds() -> None:
    assert list(said(played(a=(2, ROUND_1)))) == []
    assert list(said(played(a=(3, ROUND_2)))) == []


def test_withdrawal_from_the_round_in_play_holds_where_others_were_in_play() -> None:
    assert list(said(played(a=(3, ROUND_3)))) == []


WITHDRAWALS: dict[str, tuple[tuple[int | None, int | None], str]] = {
    "after the last match": ((4, ROUND_3), "it withdrew when the tournament was over"),
    "after the schedule": ((4, 13), "it withdrew after match 13, where no drawing had ended"),
    "within a round": ((1, 3), "it withdrew after match 3, where no drawing had ended"),
    "in a round long past": ((1, ROUND_3), "it withdrew in round 1, when round 3 had been drawn"),
    "in a round far ahead": ((9, ROUND_3), "it withdrew in round 9, when round 3 had been drawn"),
    "never": ((3, None), "it has withdrawn in a round, or after a match, but not both"),
    "but played on": ((2, ROUND_1), "it had withdrawn before match 5, but did not miss it as such"),
}


@pytest.mark.parametrize(("moment", "sentence"), WITHDRAWALS.values(), ids=WITHDRAWALS)
def test_impossible_withdrawal_is_named(
    moment: tuple[int | None, int | None], sentence: str
) -> None:
    withdrawn, after = moment
    evidence = with_entrant(played(), withdrawn=withdrawn, withdrawn_after=after)
    found = list(said(evidence))
    assert f"entrants: a: {sentence}" in [one.replace("match 6", "match 5") for one in found]


def test_withdrawal_from_a_round_that_it_alone_played_is_named() -> None:
    duel = replace(CUP, bots=CUP.bots[:2], swiss=SwissSettings(rounds=1))
    plan = plan_of(duel)
    matches = [_played(one) for one in plan.pairings]
    first, second = (_withdrawn(one, {}) for one in plan.entrants)
    gone = dataclasses.replace(first, withdrawn=1, withdrawn_after=2, withdrawn_ms=2)
    schedule = Schedule(
        tournament="cup",
        description=json.loads(plan.configuration),
        entrants=(gone, second),
        matches=tuple(matches),
    )
    evidence = Evidence(schedule, _won_by_first(matches))
    assert list(entrant_differences(evidence, [2])) == [
        f"entrants: {gone.name}: it withdrew in round 1, every match of which had been played"
    ]


ENTRIES: dict[str, tuple[dict[str, float], str]] = {
    "in another round": ({"entered": 2}, "it entered in round 2, where the next one was 1"),
    "within a round": ({"entered_after": 3}, "nothing was drawn just after match 3"),
    "a round too early": (
        {"entered": 1, "entered_after": ROUND_1},
        "it entered in round 1, where the next one was 2",
    ),
    "with points": ({"missed": 0.75}, "it has 0.75 points for each round before it entered"),
}


@pytest.mark.parametrize(("changes", "sentence"), ENTRIES.values(), ids=ENTRIES)
def test_impossible_entry_is_named(changes: dict[str, float], sentence: str) -> None:
    found = list(said(with_entrant(played(), **changes)))
    assert any(one.startswith(f"entrants: a: {sentence}") for one in found), found


GONE = why_missed({"a": WITHDRAWN})

UNPLAYED: dict[str, tuple[dict[str, object], str]] = {
    "missed, but played": ({"missing": {"a": ABSENT}}, "it is played, but bots missed it"),
    "a reason, but played": ({"detail": GONE}, "it was played, but has a reason why not"),
    "dropped without a decision": (
        {"state": "dropped", "match": None, "detail": GONE},
        "it was dropped for another reason than a decision",
    ),
    "missed for no reason": (
        {"state": "walkover", "match": None, "missing": {"a": "bored"}, "detail": GONE},
        "a bot missed it for a reason that there is not",
    ),
    "another reason": (
        {
            "state": "walkover",
            "match": None,
            "missing": {"a": WITHDRAWN},
            "detail": Reason.of("absent", bot="a"),
        },
        "but its bots have withdrawn",
    ),
    "no reason": (
        {"state": "walkover", "match": None, "missing": {"a": ABSENT}},
        "a walkover without a reason",
    ),
}


@pytest.mark.parametrize(("changes", "sentence"), UNPLAYED.values(), ids=UNPLAYED)
def test_impossible_reason_for_an_unplayed_match_is_named(
    changes: dict[str, object], sentence: str
) -> None:
    found = list(said(with_match(played(), 1, **changes)))
    assert any(sentence in one and "match 1 " in one for one in found), found
