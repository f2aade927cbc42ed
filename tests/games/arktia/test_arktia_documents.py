"""Arktia's state document: what it says, and which documents are refused because they cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.folders import VECTORS_OF_GAMES
from tests.games.arktia.arktia_positions import document

from polynya_games import InvalidState
from polynya_games.arktia import ARKTIA, ArktiaState

VECTORS = VECTORS_OF_GAMES / "arktia.jsonl"
PLAIN = {0: "0G", 3: "0D", 4: "1T", 5: "1G", 6: "1D", 26: "2G"}

Change = Callable[[dict[str, Any]], object]


def plain(**rest: Any) -> dict[str, Any]:
    return document(3, PLAIN, **rest)


def opening(*steps: tuple[str, int]) -> dict[str, Any]:
    state: ArktiaState = ARKTIA.setup(4)
    for kind, cell in steps:
        state = state.apply(("place", kind, cell))
    return state.to_json()


def refused(data: object) -> str:
    with pytest.raises(InvalidState) as caught:
        ARKTIA.state_from_json(data)
    return str(caught.value)


def test_the_document_is_the_one_of_the_rules() -> None:
    assert ARKTIA.setup(2, 0, {"round_limit": 5}).to_json() == {
        "game": "arktia",
        "players": 2,
        "phase": "neutral",
        "round": 0,
        "to_move": 0,
        "rows": [[4, 2], [5, 1], [6, 0], [5, 1], [4, 2]],
        "ice": [1] * 24,
        "stacks": [[]] * 24,
        "reserve": [[3, 3, 3], [3, 3, 3]],
        "neutral_reserve": [[1, 1, 1], [1, 1, 1]],
        "taken": [0, 0],
        "melted": [0, 0],
        "points": [0, 0],
        "out": [False, False],
        "forfeited": [],
        "round_limit": 5,
        "owes": None,
    }


def test_without_neutral_muglus_their_reserves_are_empty() -> None:
    assert ARKTIA.setup(3).to_json()["neutral_reserve"] == [[0, 0, 0]] * 3


def test_number_of_tiles_decides_whether_there_are_neutral_muglus() -> None:
    data = ARKTIA.setup(3, 0, {"neutrals": True}).to_json()
    assert ARKTIA.state_from_json(data).rules.neutrals is True


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d.pop("owes"), "owes is missing"),
        (lambda d: d.update(extra=1), '"extra" is not a key'),
        (lambda d: d.update(game="packeis"), 'game is "arktia", not "packeis"'),
        (lambda d: d.update(players=5), "players is an integer from 2 to 4, not 5"),
        (lambda d: d.update(players=True), "players is an integer from 2 to 4, not true"),
        (lambda d: d.update(round_limit=0), "round_limit is an integer from 1, not 0"),
        (lambda d: d.update(round=61), "round is an integer from 0 to 60, not 61"),
        (lambda d: d.update(rows=[[26, 0]]), "stacks has 26 elements, not 27"),
        (lambda d: d["ice"].pop(), "ice has 27 elements, not 26"),
        (lambda d: d.update(ice=[True] * 27), r"ice\[0\] is an integer from 0 to 1, not true"),
        (lambda d: d["stacks"][0].append([0, "D"]), r'stacks\[0\]: a stack "GD" does not exist'),
        (lambda d: d["stacks"][0].__setitem__(0, [4, "G"]), "an integer from 0 to 2, not 4"),
        (lambda d: d["stacks"][0].__setitem__(0, [0, "X"]), 'is "G" or "D" or "T", not "X"'),
        (lambda d: d["reserve"][0].__setitem__(0, 4), r"reserve\[0\]\[0\] .* 0 to 3, not 4"),
        (
            lambda d: d["neutral_reserve"][0].__setitem__(0, 1),
            "no muglu of colour 3 is left",
        ),
        (lambda d: d["points"].__setitem__(1, 4), r"points is \[2, 3, 1\] in this position"),
        (lambda d: d.update(out=[0, 0, 0]), r"out\[0\] is true or false, not 0"),
        (lambda d: d.update(forfeited=[1, 1]), "forfeited names no seat twice"),
        (lambda d: d.update(owes="place"), 'owes is null or "keep" or "melt"'),
        (lambda d: d.update(to_move=3), "to_move is an integer from 0 to 2, not 3"),
    ],
)
def test_documents_of_another_form_are_refused(change: Change, sentence: str) -> None:
    data = plain()
    change(data)
    with pytest.raises(InvalidState, match=sentence):
        ARKTIA.state_from_json(data)


def test_the_examples_above_are_possible_before_they_are_changed() -> None:
    assert ARKTIA.state_from_json(plain()).to_json() == plain()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (plain(gone={13: 2}), "tiles have melted in the middle"),
        (plain(gone={12: 2}), "seat 2 melted before placing all muglus"),
        (plain(gone={26: 2}, placed_all=[2]), "a muglu lies on a tile that has melted"),
        (
            plain(gone={21: 2, 22: 2, 25: 2}, placed_all=[2]),
            "the ice that is left is not connected",
        ),
        (plain() | {"ice": [1, 0] + [1] * 25}, "melted does not add up to the tiles gone"),
        (plain(reserve=[[2, 3, 3], [2, 2, 2], [2, 3, 3]]), "colour 0 has 4 D, more than 3"),
        (document(3, {0: "0G", 3: "0D"}, placed_all=[1]), "no muglu of colour 1 is left at all"),
        (plain(reserve=[[1, 2, 3], [2, 2, 2], [2, 3, 3]]), "1 muglus are missing, 0 taken"),
        (
            plain(placed_all=[2], taken=[0, 0, 8]),
            "seat 2 cannot have taken that number of muglus of others",
        ),
        (plain(to_move=None), "to_move is null exactly when the phase is over"),
        (plain(phase="over"), "to_move is null exactly when the phase is over"),
        (plain(forfeited=[1]), "seat 1 has forfeited, so it is out"),
        (plain(out=[True, False, False]), "seat 0 is to move, but out"),
        (plain(out=[False, True, True], forfeited=[1, 2]), "so the match is over"),
        (plain(phase="over", to_move=None), "the match is not over: not all are out"),
        (
            plain(phase="over", to_move=None, out=[True] * 3, forfeited=[0, 1, 2]),
            "the last player cannot forfeit",
        ),
        (document(3, {**PLAIN, 23: "0T"}), r"colour 0 has more than one group, but no keep"),
        (plain(owes="keep"), "a keep is owed, but no colour has more than one group"),
        (document(3, {**PLAIN, 23: "0T"}, owes="keep"), "has split its own colour"),
        (document(3, {**PLAIN, 23: "1T"}, owes="keep"), "one largest group, so no keep is owed"),
        (document(3, {**PLAIN, 23: "2T"}, owes="keep"), "no stack can have been moved"),
        (plain(owes="melt"), "seat 0 has muglus in reserve: no melt is owed"),
        (document(3, {0: "0G", 26: "2G", 4: "1G"}, placed_all=[0]), "seat 0 has one muglu left"),
        (
            document(3, {0: "0T 2D", 3: "0D 2G", 4: "1G"}, placed_all=[0]),
            "seat 0 can neither place nor move",
        ),
        (plain(round=0), "round is 1 or more in the main phase"),
        (plain(phase="opening"), "round is 0 before the main phase"),
        (document(3, {0: "0G", 3: "0D", 4: "1T"}), "seat 2 has not placed in the opening"),
        (opening(("G", 0)) | {"phase": "neutral"}, "seat 1 does not place next in this phase"),
        (opening(("G", 0)) | {"to_move": 2}, "seat 2 does not place next in this phase"),
        (opening(("G", 0)) | {"to_move": 0}, "seat 0 does not place next in this phase"),
        (
            opening(("G", 0), ("G", 1)) | {"out": [False] * 3 + [True]},
            "before the main phase only who has forfeited is out",
        ),
        (
            opening(("G", 0)) | {"out": [True, False, False, True], "forfeited": [0, 3]},
            None,
        ),
        (
            opening(("G", 0), ("G", 1), ("G", 2), ("G", 3), ("D", 4))
            | {"out": [True, False, True, False], "forfeited": [0, 2]},
            None,
        ),
    ],
)
def test_positions_that_cannot_be_are_refused(data: dict[str, Any], sentence: str | None) -> None:
    if sentence is None:
        assert ARKTIA.state_from_json(data).to_json() == data
    else:
        with pytest.raises(InvalidState, match=sentence):
            ARKTIA.state_from_json(data)


def vectors() -> Iterator[dict[str, Any]]:
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def test_every_vector_reads_back_with_the_same_legal_steps() -> None:
    for vector in vectors():
        state = ARKTIA.state_from_json(vector["state"])
        assert state.to_json() == vector["state"]
        assert [list(step) for step in state.legal_steps()] == vector["legal"], vector["about"]
        assert state.turn_over is vector["turn_over"]


def test_there_are_vectors_for_all_numbers_of_players() -> None:
    counts = [vector["state"]["players"] for vector in vectors()]
    assert len(counts) >= 200
    assert all(counts.count(players) >= 30 for players in (2, 3, 4))
