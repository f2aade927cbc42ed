"""The schedule: who meets whom, how often and where they sit."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_contest.pairing.designs import berger_rounds
from polynya_contest.pairing.formats import drawn_once
from polynya_contest.pairing.formats.interface import Entrant
from polynya_contest.pairing.schedule import Pairing, pairings_of
from polynya_contest.secret import Secret

FIELDS = st.tuples(st.integers(2, 4), st.integers(2, 16), st.integers(1, 3)).filter(
    lambda field: field[1] >= field[0]
)


def round_robin(names: list[str], players: int, cycles: int, seed: int) -> list[Pairing]:
    field = [Entrant(name) for name in names]
    blocks = drawn_once.round_robin(field, players, cycles).blocks_after(0)
    return pairings_of(blocks, Secret.of_seed(seed).match_seed)


def drawn(players: int, bots: int, cycles: int) -> list[Pairing]:
    return round_robin([f"bot{number}" for number in range(bots)], players, cycles, 1)


def meetings(pairings: list[Pairing], bots: int) -> dict[frozenset[str], int]:
    """How many blocks each pair of bots shares."""
    blocks = {pairing.block: pairing.players for pairing in pairings}
    counted = Counter(
        frozenset(pair) for p in blocks.values() for pair in itertools.combinations(p, 2)
    )
    names = [f"bot{number}" for number in range(bots)]
    return {frozenset(p): counted[frozenset(p)] for p in itertools.combinations(names, 2)}


def test_the_berger_table_of_four_is_the_published_one() -> None:
    # FIDE Handbook C.05, annex 1, "3 or 4 players": 1-4 2-3, 4-3 1-2, 2-4 3-1.
    assert berger_rounds(4) == [[(0, 3), (1, 2)], [(3, 2), (0, 1)], [(1, 3), (2, 0)]]


def test_the_berger_table_of_six_is_the_published_one() -> None:
    expected = [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]
    assert expected == [[(one + 1, two + 1) for one, two in r] for r in berger_rounds(6)]


@given(st.integers(2, 33))
def test_each_bot_plays_once_in_a_berger_round(bots: int) -> None:
    for pairs in berger_rounds(bots):
        playing = [bot for pair in pairs for bot in pair]
        assert len(set(playing)) == len(playing)


@given(bots=st.integers(2, 24), cycles=st.integers(1, 3))
def test_two_players_meet_once_in_each_cycle(bots: int, cycles: int) -> None:
    assert {cycles} == set(meetings(drawn(2, bots, cycles), bots).values())


@given(FIELDS)
def test_numbers_of_meetings_differ_by_one_at_most(field: tuple[int, int, int]) -> None:
    players, bots, cycles = field
    met = meetings(drawn(players, bots, cycles), bots).values()
    assert min(met) >= cycles
    assert max(met) - min(met) <= 1


@pytest.mark.parametrize(("players", "bots", "pods"), [(3, 7, 7), (4, 13, 13), (4, 7, 7)])
def test_pods_are_a_perfect_design_where_one_is_known(players: int, bots: int, pods: int) -> None:
    # The Fano plane, the projective plane of order 3 and the complement of the Fano plane.
    pairings = drawn(players, bots, 1)
    assert pods == len({pairing.block for pairing in pairings})
    assert len(set(meetings(pairings, bots).values())) == 1


@given(FIELDS)
def test_all_bots_play_equally_often_at_every_seat(field: tuple[int, int, int]) -> None:
    pairings = drawn(*field)
    seats = Counter((name, seat) for p in pairings for seat, name in enumerate(p.players))
    assert field[0] * field[1] == len(seats)
    assert len(set(seats.values())) == 1


@given(FIELDS)
def test_a_block_is_one_set_up_with_each_bot_at_each_seat(field: tuple[int, int, int]) -> None:
    players, *_ = field
    blocks: dict[str, list[Pairing]] = defaultdict(list)
    for pairing in drawn(*field):
        blocks[pairing.block].append(pairing)
    for block in blocks.values():
        at_seats = list(zip(*(pairing.players for pairing in block), strict=True))
        assert [players] * players == [len(set(names)) for names in at_seats]
        assert len({pairing.seed for pairing in block}) == 1


@given(FIELDS)
def test_blocks_have_different_set_ups(field: tuple[int, int, int]) -> None:
    pairings = drawn(*field)
    assert len({p.block for p in pairings}) == len({p.seed for p in pairings})


def test_matches_are_numbered_in_order_from_one() -> None:
    assert list(range(1, 25)) == [pairing.number for pairing in drawn(2, 4, 2)]


def test_the_same_tournament_is_drawn_the_same_again() -> None:
    assert drawn(3, 11, 2) == drawn(3, 11, 2)


def test_another_seed_changes_set_ups_and_nothing_else() -> None:
    one, two = (round_robin(["a", "b", "c"], 2, 1, seed) for seed in (1, 2))
    assert [p.players for p in one] == [p.players for p in two]
    assert not {p.seed for p in one} & {p.seed for p in two}


def test_a_further_bot_leaves_the_others_their_set_ups() -> None:
    three, four = (
        {frozenset(p.players): p.seed for p in round_robin(names, 2, 1, 5)}
        for names in (["a", "b", "c"], ["a", "b", "c", "d"])
    )
    assert three == {players: four[players] for players in three}


def test_blocks_of_the_same_bots_differ_by_occurrence() -> None:
    blocks = list(dict.fromkeys(p.block for p in round_robin(["b", "a"], 2, 2, 0)))
    assert blocks == ["round_robin/1/1/a,b", "round_robin/2/1/a,b"]
