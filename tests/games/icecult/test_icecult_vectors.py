"""The vectors of Ice Cult: complete, and as the naive reading of the rules has them too."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

from tests.folders import VECTORS_OF_GAMES
from tests.games.icecult.naive_icecult import Naive

from polynya_games.icecult import ICECULT

FILE = VECTORS_OF_GAMES / "icecult.jsonl"
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text().splitlines()]


def test_there_are_many_for_each_number_of_players() -> None:
    counts = Counter(vector["state"]["players"] for vector in VECTORS)
    assert sorted(counts) == [2, 3, 4]
    assert min(counts.values()) >= 100


def test_special_cases_are_among_them() -> None:
    special = [
        "one tip is made",
        "3 circles on top",
        "3 arcs on top",
        "arrows used 2 and 2 times",
        "an arrow lapses",
        "a rotation made an advance possible, which is owed",
        "a rotation turned an arrow away, which owes nothing",
        "a pawn carried others and left others behind",
        "a tower of a colour without a player, the match goes on",
        "over: a win by tower, of the mover",
        "over: a win by tower, of another",
        "over: a win by tower, shared",
        "over: a win by goal, of the mover",
        "over: a win by goal, of another",
        "over: a win by goal, shared",
        "over: another fulfils the condition too, the mover wins alone",
        "over: won in the middle of a turn",
        "over: won in the last turn",
        "over: the turn limit is reached",
        "over: a forfeit in the last turn",
        "over: all but one have forfeited",
        "after a forfeit of the player to move",
        "after a forfeit of another",
    ]
    abouts = [vector["about"] for vector in VECTORS]
    assert [case for case in special if not any(case in about for about in abouts)] == []


def test_vectors_agree_with_the_naive_rules() -> None:
    for vector in VECTORS:
        naive = Naive(2, vector["state"]["blocks"])
        naive.d = copy.deepcopy(vector["state"])
        assert naive.legal() == vector["legal"], vector["about"]
        assert (naive.d["tips"] == []) == vector["turn_over"]


def test_states_of_vectors_are_read_back() -> None:
    for vector in VECTORS:
        assert ICECULT.state_from_json(vector["state"]).to_json() == vector["state"]
