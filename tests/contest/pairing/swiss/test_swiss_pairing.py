"""Pairing by the Dutch and the Double-Swiss system, held to a second implementation."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.contest.pairing.swiss import swiss_by_the_letter as letter

from polynya_contest.pairing.formats.swiss import double_swiss, dutch
from polynya_contest.pairing.formats.swiss.field import (
    Float,
    NoPairingError,
    PairedRound,
    Player,
)

# `SWISS_TOURNAMENTS=5000 pytest tests/contest/pairing/swiss/test_swiss_pairing.py` tries more.
TOURNAMENTS = int(os.environ.get("SWISS_TOURNAMENTS", "60"))

System = Callable[[Sequence[Player]], PairedRound]


def random_rounds(seed: int, bots: int, rounds: int, system: System) -> list[list[Player]]:
    """The fields of a random tournament with absence, forfeits, late entry and forbidden pairs."""
    draw = random.Random(seed)
    players = [Player(number) for number in range(1, bots + 1)]
    if draw.random() < 0.5:
        one, other = draw.sample(range(bots), 2)
        players[one] = replace(players[one], opponents=frozenset({other + 1}))
    fields = []
    for _ in range(rounds):
        here = [player for player in players if draw.random() < 0.9]
        if len(here) < 2:
            break
        fields.append(here)
        try:
            drawn = system(here)
        except NoPairingError:
            break
        after = {player.number: replace(player, floats=(*player.floats, "")) for player in players}
        for two in drawn.pairs:
            _play(draw, after, [players[number - 1] for number in two])
        if drawn.bye is not None:
            _score(after, drawn.bye, 2, "down", bye=False)
        players = [after[player.number] for player in players]
    return fields


def _play(draw: random.Random, after: dict[int, Player], two: Sequence[Player]) -> None:
    points = draw.choice([0, 1, 2])
    forfeit = draw.random() < 0.1
    for (one, other), score in zip((two, two[::-1]), (points, 2 - points), strict=True):
        how: Float = "" if one.score == other.score else "down" if one.score > other.score else "up"
        if forfeit:
            _score(after, one.number, 2 * (one is two[0]), how, bye=one is not two[0])
            continue
        _score(after, one.number, score, how)
        met = after[one.number]
        after[one.number] = replace(
            met, opponents=frozenset({*met.opponents, other.number}), matches=met.matches + 1
        )


def _score(
    after: dict[int, Player], number: int, points: int, how: Float, *, bye: bool = True
) -> None:
    player = after[number]
    after[number] = replace(
        player,
        score=player.score + points,
        floats=(*player.floats[:-1], how),
        bye=player.bye and bye,
    )


Drawn = tuple[set[frozenset[int]], int | None]


def drawn_by(system: System, field: Sequence[Player]) -> Drawn | None:
    try:
        return without_order(system(field))
    except NoPairingError:
        return None


def without_order(drawn: PairedRound) -> Drawn:
    return {frozenset(two) for two in drawn.pairs}, drawn.bye


def by_the_letter(drawn: PairedRound | None) -> Drawn | None:
    return None if drawn is None else without_order(drawn)


@pytest.mark.parametrize("part", range(10))
def test_dutch_pairing_is_the_one_of_the_letter(part: int) -> None:
    for seed in range(part, TOURNAMENTS, 10):
        for field in random_rounds(seed, 3 + seed % 5, 5, dutch.pair):
            assert by_the_letter(letter.dutch(field)) == drawn_by(dutch.pair, field), field


@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("last", [False, True])
def test_double_swiss_pairing_is_the_one_of_the_letter(part: int, last: bool) -> None:
    def system(field: Sequence[Player]) -> PairedRound:
        return double_swiss.pair(field, last_round=last)

    for seed in range(part, TOURNAMENTS, 10):
        for field in random_rounds(seed, 3 + seed % 5, 5, system):
            expected = letter.double_swiss(field, last_round=last)
            assert by_the_letter(expected) == drawn_by(system, field), field


@pytest.mark.parametrize("system", [dutch.pair, double_swiss.pair])
def test_large_fields_meet_once_and_the_bye_is_for_an_eligible_player(system: System) -> None:
    for seed in range(6):
        for field in random_rounds(seed, 40 + seed, 9, system):
            drawn = system(field)
            known = {player.number: player for player in field}
            seated = [number for two in drawn.pairs for number in two]
            seated += [] if drawn.bye is None else [drawn.bye]
            assert sorted(known) == sorted(seated)
            assert all(letter.legal(known[one], known[other]) for one, other in drawn.pairs)
            assert drawn.bye is None or known[drawn.bye].bye


def test_first_round_pairs_the_halves() -> None:
    field = [Player(number) for number in range(1, 9)]
    assert dutch.pair(field).pairs == ((1, 5), (2, 6), (3, 7), (4, 8))
    assert double_swiss.pair(field).pairs == ((1, 5), (2, 6), (3, 7), (4, 8))


def test_bye_goes_to_the_lowest_score_even_if_more_players_float() -> None:
    field = [Player(1, 4), Player(2, 2), Player(3, 0, {2})]
    assert dutch.pair(field).bye == 3


def test_players_that_have_all_met_cannot_be_paired() -> None:
    with pytest.raises(NoPairingError):
        dutch.pair([Player(1, opponents={2}), Player(2)])
