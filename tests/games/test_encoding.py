"""How positions and steps become numbers; and the checks find an encoding that does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from polynya_games import Game, load
from polynya_games.checks import Finding, check_game
from polynya_games.encoding import Encoding, Part, chosen, forfeits, listed, seat_parts
from polynya_games.packeis import Packeis

DOCUMENT = {
    "to_move": 1,
    "phase": "late",
    "cards": [[3, 0], [1, 2]],
    "out": [True, False, False],
    "forfeited": [2, 0],
}
STEPS = (("pass",), ("play", 1), ("play", 2))


def observed(*parts: Part, seat: int = 0) -> list[int]:
    return Encoding(STEPS, parts).observe(DOCUMENT, seat)


def test_first_parts_show_the_observer_and_the_player_to_move() -> None:
    assert observed(*seat_parts(3), seat=2) == [0, 0, 1, 0, 1, 0]


def test_finished_match_has_no_player_to_move() -> None:
    over = {**DOCUMENT, "to_move": None}
    assert Encoding(STEPS, seat_parts(2)).observe(over, 0) == [1, 0, 0, 0]


def test_lists_of_lists_are_laid_flat_and_booleans_become_numbers() -> None:
    assert observed(listed("cards", 4, 3), listed("out", 3, 1)) == [3, 0, 1, 2, 1, 0, 0]


def test_a_choice_is_a_single_1_or_none() -> None:
    assert observed(chosen("phase", ["early", "late"])) == [0, 1]
    assert observed(chosen("phase", ["early", "middle"])) == [0, 0]


def test_forfeited_players_are_marked_in_any_order() -> None:
    assert observed(forfeits(3)) == [1, 0, 1]


def test_highs_are_per_number() -> None:
    encoding = Encoding(STEPS, (listed("cards", 4, 3), forfeits(2)))
    assert encoding.highs == (3, 3, 3, 3, 1, 1)


SHIFTED = [[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]]
RING = [[4, 4], [5, 3], [[2, 2], [2, 10]], [[2, 1], [2, 11]], [[2, 2], [2, 10]], [5, 3], [4, 4]]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("packeis", {"layout": "even"}),
        ("packeis", {"rows": SHIFTED}),
        ("packeis", {"rows": [[60, 0]], "fish": [1] * 8 + [3] * 52}),
        ("arktia", {"rows": RING}),
        ("arktia", {"rows": [[64, 0], [63, 1]], "round_limit": 3}),
        ("icecult", {"blocks": [[[0, "N"]] * 2 + [[4, None]] * 4] * 4, "turn_limit": 30}),
    ],
)
def test_game_keeps_the_promises_of_the_interface_with_its_options(
    name: str, options: dict[str, Any]
) -> None:
    findings = check_game(load(name), [2], 1, [options])
    assert [finding for finding in findings if not finding.ok] == []


def test_encoding_has_a_plane_of_the_cells_of_the_board() -> None:
    ring = load("arktia").encoding(2, {"rows": RING})
    assert {part.name: part.size for part in ring.parts}["ice"] == 30
    given = load("packeis").encoding(2, {"fish": [1] * 8 + [3] * 52})
    assert {part.name: part.high for part in given.parts}["fish_caught"] == 164
    row = load("packeis").encoding(2, {"rows": [[60, 0]]})
    assert len(row.steps) == 60 + 60 * 59


@pytest.mark.parametrize("legal", [[("pass",), ("play", 2)], [["pass"], ["play", 2]]])
def test_a_mask_has_a_1_for_each_legal_step(legal: list[Any]) -> None:
    assert Encoding(STEPS, ()).mask(legal) == [1, 0, 1]


def test_actions_and_steps_are_each_others_inverse() -> None:
    encoding = load("arktia").encoding(3, {"neutrals": True})
    assert [encoding.actions[step] for step in encoding.steps] == [*range(len(encoding.steps))]


def finding_about(encoding: Encoding) -> Finding:
    class Encoded(Packeis):
        def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
            del players, options
            return encoding

    (finding,) = (f for f in check_game(Encoded(), [2], 1) if f.name == "encoding_fits")
    return finding


GOOD = load("packeis").encoding(2)


@pytest.mark.parametrize(
    ("encoding", "sentence"),
    [
        (Encoding(GOOD.steps[60:], GOOD.parts), "no action is the legal step"),
        (Encoding(GOOD.steps, (listed("fish", 59, 3),)), "fish has 60 numbers"),
        (Encoding(GOOD.steps, (listed("fish", 60, 1),)), "fish is not of integers from 0 to 1"),
    ],
)
def test_the_check_finds_an_encoding_that_does_not_fit(encoding: Encoding, sentence: str) -> None:
    finding = finding_about(encoding)
    assert not finding.ok
    assert sentence in finding.sentence


def test_the_check_accepts_a_game_without_an_encoding() -> None:
    class Plain(Packeis):
        encoding = Game.encoding

    findings = check_game(Plain(), [2], 1)
    assert [finding for finding in findings if not finding.ok] == []
