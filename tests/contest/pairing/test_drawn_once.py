"""Round robin and gauntlet: who meets whom, how evenly, and what late entrants add."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import pytest

from polynya_contest.pairing.designs import balanced_groups, count_groups
from polynya_contest.pairing.formats.drawn_once import (
    DrawnOnce,
    round_robin,
)
from polynya_contest.pairing.formats.drawn_once import gauntlet as drawn_gauntlet
from polynya_contest.pairing.formats.interface import (
    LARGEST_PORTION,
    Block,
    Entrant,
    PlayedBlock,
)
from polynya_contest.pairing.schedule import pairings_of
from polynya_contest.secret import Secret

FIELD = ["bob", "cid", "dot", "eve"]


def entrants(*names: str, late: tuple[str, ...] = (), after: int = 12) -> list[Entrant]:
    """The first ones, and those that enter when ``after`` matches have been drawn."""
    return [
        *(Entrant(name) for name in names),
        *(Entrant(name, entered=2, entered_after=after) for name in late),
    ]


def round_robin_blocks(field: list[Entrant], players: int, cycles: int) -> list[Block]:
    return list(round_robin(field, players, cycles).blocks_after(0))


def gauntlet_blocks(
    field: list[Entrant], challengers: list[str], players: int, cycles: int
) -> list[Block]:
    return list(drawn_gauntlet(field, challengers, players, cycles).blocks_after(0))


def gauntlet(challengers: list[str], players: int, cycles: int) -> list[Block]:
    return gauntlet_blocks(entrants(*challengers, *FIELD), challengers, players, cycles)


def test_a_challenger_meets_each_bot_of_the_field_once_in_a_cycle() -> None:
    blocks = gauntlet(["ann"], 2, 2)
    assert [("ann", name) for name in FIELD] * 2 == [block.players for block in blocks]


def test_challengers_do_not_meet_each_other() -> None:
    blocks = gauntlet(["ann", "new"], 2, 1)
    assert len(blocks) == 8
    assert all(len({"ann", "new"} & set(block.players)) == 1 for block in blocks)


@pytest.mark.parametrize(("players", "meetings"), [(3, 2), (4, 3)])
def test_challenger_meets_all_equally_often_in_larger_matches(players: int, meetings: int) -> None:
    blocks = gauntlet(["ann"], players, 1)
    met = Counter(name for block in blocks for name in block.players if name != "ann")
    assert Counter(dict.fromkeys(FIELD, meetings)) == met


def test_a_field_that_fills_one_match_is_one_block() -> None:
    (block,) = gauntlet_blocks(entrants("ann", "bob", "cid"), ["ann"], 3, 1)
    assert block.players == ("ann", "bob", "cid")


def test_every_block_has_a_key_of_its_own() -> None:
    keys = [block.key for block in gauntlet(["ann", "new"], 4, 2)]
    assert len(keys) == len(set(keys))
    assert keys[0] == "gauntlet/1/1/ann,bob,cid,dot"


def played(blocks: list[Block]) -> list[PlayedBlock]:
    return [PlayedBlock(block.key, block.players) for block in blocks]


def test_drawn_blocks_are_not_drawn_again() -> None:
    drawn = drawn_gauntlet(entrants("ann", *FIELD), ["ann"], 2, 1)
    blocks = drawn.next_blocks(())
    assert gauntlet(["ann"], 2, 1) == blocks
    assert drawn.next_blocks(played(blocks)) == []


FIELDS = {
    "as they were": entrants("ann", *FIELD),
    "late ones": entrants("ann", *FIELD, late=("fay", "gus")),
    "one less": [*entrants("ann", *FIELD[1:]), Entrant("bob", withdrawn=1, withdrawn_after=6)],
    "one less, then a late one": [
        *entrants("ann", *FIELD[1:]),
        Entrant("bob", withdrawn=1, withdrawn_after=6),
        *entrants(late=("fay",)),
    ],
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize(
    "drawn_by", [round_robin, lambda *given: drawn_gauntlet(given[0], ["ann"], *given[1:])]
)
def test_rest_of_the_schedule_is_the_same_wherever_it_is_cut(
    drawn_by: Callable[[list[Entrant], int, int], DrawnOnce], field: list[Entrant]
) -> None:
    for players in (2, 3, 4):
        drawn = drawn_by(field, players, 7)
        blocks = list(drawn.blocks_after(0))
        for cut in range(len(blocks) + 1):
            assert blocks[cut:] == list(drawn.blocks_after(cut))
            assert len(blocks) - cut == drawn.undrawn(cut)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_large_schedule_is_drawn_in_portions_that_give_the_same_blocks(players: int) -> None:
    drawn = round_robin(entrants("ann", *FIELD[: players - 1]), players, 6_000)
    blocks: list[Block] = []
    while portion := drawn.next_blocks(played(blocks)):
        assert len(portion) * players <= LARGEST_PORTION
        blocks += portion
    assert list(drawn.blocks_after(0)) == blocks


def test_a_block_of_a_portion_is_never_drawn_a_second_time() -> None:
    keys = [one.key for one in round_robin(entrants("ann", "bob"), 2, 20_000).blocks_after(0)]
    assert len(set(keys)) == len(keys) == 20_000


def test_matches_of_a_late_entrant_follow_the_half_drawn_schedule() -> None:
    first = round_robin(entrants("ann", "bob"), 2, 6_000)
    half = first.next_blocks(())
    late = entrants("ann", "bob", late=("cid",), after=2 * len(half))
    rest = list(round_robin(late, 2, 6_000).blocks_after(len(half)))
    added = [block for block in rest if "cid" in block.players]
    assert list(first.blocks_after(len(half))) == rest[: -len(added)]
    expected = [("cid", "ann"), ("cid", "bob")] * 6_000
    assert expected == [block.players for block in added]


@pytest.mark.parametrize(("bots", "players"), [(4, 3), (5, 4), (7, 3), (9, 4), (8, 6)])
@pytest.mark.parametrize("cycles", [1, 2, 30])
def test_pods_of_many_cycles_are_counted_without_drawing_them(
    bots: int, players: int, cycles: int
) -> None:
    drawn = itertools.islice(balanced_groups(bots, players), cycles)
    assert sum(len(cycle) for cycle in drawn) == count_groups(bots, players, cycles)


def test_pods_of_a_large_field_are_drawn_though_there_are_too_many_to_list() -> None:
    cycle = next(balanced_groups(64, 16))
    met = Counter(pair for pod in cycle for pair in itertools.combinations(pod, 2))
    assert set(itertools.combinations(range(64), 2)) == set(met)


def test_a_late_entrant_meets_each_bot_of_a_round_robin_in_each_cycle() -> None:
    first = round_robin_blocks(entrants("ann", "bob", "cid"), 2, 2)
    blocks = round_robin_blocks(entrants("ann", "bob", "cid", late=("dot",)), 2, 2)
    assert first == blocks[: len(first)]
    added = [block.players for block in blocks[len(first) :]]
    assert added == [("dot", "ann"), ("dot", "bob"), ("dot", "cid")] * 2


def test_late_entrants_meet_each_other_once_in_a_cycle() -> None:
    blocks = round_robin_blocks(entrants("ann", "bob", late=("cid", "dot")), 2, 1)
    met = Counter(frozenset(block.players) for block in blocks)
    names = ("ann", "bob", "cid", "dot")
    assert {frozenset(pair): 1 for pair in itertools.combinations(names, 2)} == met


def test_a_late_entrant_does_not_meet_a_bot_that_has_withdrawn_before() -> None:
    gone = Entrant("bob", withdrawn=1, withdrawn_after=6)
    field = [Entrant("ann"), gone, *entrants(late=("cid",), after=12)]
    assert round_robin_blocks(field, 2, 1)[-1].players == ("cid", "ann")


def test_a_late_entrant_joins_the_field_of_a_gauntlet() -> None:
    blocks = gauntlet_blocks(entrants("ann", *FIELD, late=("fay",)), ["ann"], 2, 1)
    assert [("ann", name) for name in (*FIELD, "fay")] == [block.players for block in blocks]


@pytest.mark.parametrize("players", [3, 4])
def test_a_late_entrant_sits_in_larger_matches_too(players: int) -> None:
    blocks = round_robin_blocks(entrants("ann", *FIELD, late=("fay",)), players, 1)
    keys = [block.key for block in blocks]
    met = Counter(name for block in blocks if "fay" in block.players for name in block.players)
    assert len(keys) == len(set(keys))
    assert {"ann", *FIELD, "fay"} == met.keys()


def test_a_bot_that_has_withdrawn_before_the_beginning_is_not_drawn() -> None:
    gone = Entrant("cid", withdrawn=1, withdrawn_after=0)
    blocks = round_robin_blocks([Entrant("ann"), Entrant("bob"), gone], 2, 1)
    assert [frozenset(("ann", "bob"))] == [frozenset(block.players) for block in blocks]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_fewer_bots_than_a_match_needs_give_no_match(players: int) -> None:
    assert round_robin_blocks(entrants("ann"), players, 2) == []


def before(blocks: list[Block]) -> Counter[tuple[str, str]]:
    """How often each bot sat right before each other; the table is round."""
    counted: Counter[tuple[str, str]] = Counter()
    for pairing in pairings_of(blocks, Secret.of_seed(1).match_seed):
        seats = pairing.players
        counted.update(zip(seats, (*seats[1:], seats[0]), strict=True))
    return counted


@pytest.mark.parametrize(("players", "cycles"), [(3, 2), (4, 3)])
def test_over_cycles_each_bot_sits_right_before_each_other_equally_often(
    players: int, cycles: int
) -> None:
    names = ["ann", "bob", "cid", "dot"][:players]
    counted = before(round_robin_blocks(entrants(*names), players, cycles))
    assert dict.fromkeys(itertools.permutations(names, 2), counted["ann", "bob"]) == counted


@pytest.mark.parametrize("players", [3, 4, 6, 8])
def test_in_a_field_no_bot_sits_much_more_often_before_another_than_after_it(players: int) -> None:
    names = [f"bot{number}" for number in range(9)]
    counted = before(round_robin_blocks(entrants(*names), players, 2))
    uneven = [abs(counted[one, two] - counted[two, one]) for one, two in counted]
    assert max(uneven) <= {3: 3}.get(players, 0)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_each_bot_of_a_block_has_each_seat_once(players: int) -> None:
    blocks = round_robin_blocks(entrants(*"abcdef"[:players]), players, 1)
    seats = zip(
        *(pairing.players for pairing in pairings_of(blocks, Secret.of_seed(1).match_seed)),
        strict=True,
    )
    assert all(len(set(names)) == players for names in seats)
