"""The gauntlet: the challengers meet everybody else, equally often, and nobody else meets."""

from __future__ import annotations

from collections import Counter

import pytest

from polynya_tournaments.formats.drawn_once import DrawnOnce, gauntlet_blocks
from polynya_tournaments.formats.values import PlayedBlock

FIELD = ["bob", "cid", "dot", "eve"]


def test_a_challenger_meets_each_bot_of_the_field_once_in_a_cycle() -> None:
    blocks = gauntlet_blocks(["ann"], FIELD, 2, 2)
    assert [("ann", name) for name in FIELD] * 2 == [block.players for block in blocks]


def test_challengers_do_not_meet_each_other() -> None:
    blocks = gauntlet_blocks(["ann", "new"], FIELD, 2, 1)
    assert len(blocks) == 8
    assert all(len({"ann", "new"} & set(block.players)) == 1 for block in blocks)


@pytest.mark.parametrize(("players", "meetings"), [(3, 2), (4, 3)])
def test_in_larger_matches_the_challenger_meets_everybody_equally_often(
    players: int, meetings: int
) -> None:
    blocks = gauntlet_blocks(["ann"], FIELD, players, 1)
    met = Counter(name for block in blocks for name in block.players if name != "ann")
    assert Counter(dict.fromkeys(FIELD, meetings)) == met


def test_a_field_that_fills_one_match_is_one_block() -> None:
    (block,) = gauntlet_blocks(["ann"], ["bob", "cid"], 3, 1)
    assert block.players == ("ann", "bob", "cid")


def test_every_block_has_a_key_of_its_own() -> None:
    keys = [block.key for block in gauntlet_blocks(["ann", "new"], FIELD, 4, 2)]
    assert len(keys) == len(set(keys))
    assert keys[0] == "gauntlet/1/1/ann,bob,cid,dot"


def test_what_is_drawn_at_once_is_not_drawn_again() -> None:
    blocks = gauntlet_blocks(["ann"], FIELD, 2, 1)
    drawn = DrawnOnce(blocks)
    assert drawn.next_blocks(()) == blocks
    assert drawn.next_blocks([PlayedBlock(block.key, block.players) for block in blocks]) == []
