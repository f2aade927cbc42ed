"""Round robin and gauntlet: who meets whom, how evenly, and what late entrants add."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from polynya_tournaments.formats.drawn_once import (
    DrawnOnce,
    gauntlet_blocks,
    round_robin_blocks,
)
from polynya_tournaments.formats.values import Block, Entrant, PlayedBlock
from polynya_tournaments.schedule import pairings_of

FIELD = ["bob", "cid", "dot", "eve"]


def entrants(*names: str, late: tuple[str, ...] = (), after: int = 12) -> list[Entrant]:
    """The first ones, and those that enter when ``after`` matches have been drawn."""
    return [
        *(Entrant(name) for name in names),
        *(Entrant(name, entered=2, entered_after=after) for name in late),
    ]


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
def test_in_larger_matches_the_challenger_meets_everybody_equally_often(
    players: int, meetings: int
) -> None:
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


def test_what_is_drawn_at_once_is_not_drawn_again() -> None:
    blocks = gauntlet(["ann"], 2, 1)
    drawn = DrawnOnce(blocks)
    assert drawn.next_blocks(()) == blocks
    assert drawn.next_blocks([PlayedBlock(block.key, block.players) for block in blocks]) == []


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
    for pairing in pairings_of(blocks, 1):
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


@pytest.mark.parametrize("players", [3, 4])
def test_in_a_field_no_bot_sits_much_more_often_before_another_than_after_it(players: int) -> None:
    names = [f"bot{number}" for number in range(9)]
    counted = before(round_robin_blocks(entrants(*names), players, 2))
    uneven = [abs(counted[one, two] - counted[two, one]) for one, two in counted]
    assert max(uneven) <= {3: 3, 4: 0}[players]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_bot_of_a_block_has_each_seat_once(players: int) -> None:
    blocks = round_robin_blocks(entrants(*["ann", "bob", "cid", "dot"][:players]), players, 1)
    seats = zip(*(pairing.players for pairing in pairings_of(blocks, 1)), strict=True)
    assert all(len(set(names)) == players for names in seats)
