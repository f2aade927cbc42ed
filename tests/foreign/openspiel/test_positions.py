"""Documents, views and forfeits of OpenSpiel's games."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import polynya_foreign.openspiel as adapter
from polynya_games import InvalidState, UnknownGame, load
from polynya_games.boards import Grid
from polynya_games.seats import acting, legal_steps, view
from polynya_games.turns import apply_joint, play_turn


def first_steps(state: Any, turns: int) -> Any:
    for _ in range(turns):
        state = play_turn(state, {seat: [legal_steps(state, seat)[0]] for seat in acting(state)})
    return state


def test_document_of_chess_has_the_position_as_fen_and_moves_by_name() -> None:
    state = load("openspiel_chess").initial_state(2).apply(["play", "e4"])
    document = state.to_json()
    assert document["state"] == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert [entry[::2] for entry in document["history"]] == [[1, "e4"]]
    assert document["acting"] == [0]


def test_document_of_go_has_board_size_komi_and_moves() -> None:
    options = {"board_size": 9, "komi": 5.5}
    state = load("openspiel_go").initial_state(2, 0, options).apply(["play", "B c3"])
    document = state.to_json()
    assert (document["options"]["board_size"], document["options"]["komi"]) == (9, "5.5")
    assert document["history"][0][2] == "B c3"


def test_view_of_poker_lacks_the_other_card_and_the_deal() -> None:
    state = first_steps(load("openspiel_kuhn_poker").initial_state(2, 5), 1)
    known = view(state, 0)
    assert set(known) == {
        "game", "players", "options", "history", "acting", "forfeited", "observation",
        "information", "scores"
    }  # fmt: skip
    assert len(known["history"]) == 1
    assert view(state, 1)["history"] == [[0, None, None]]
    assert known["information"].startswith(str(state.to_json()["history"][0][1]))


def test_dice_are_seen_and_the_deal_is_not() -> None:
    state = first_steps(load("openspiel_backgammon").initial_state(2, 5), 1)
    assert "deal" in state.to_json()
    assert "deal" not in view(state, 0)
    assert view(state, None)["history"] == state.to_json()["history"]


def test_set_up_of_chess960_follows_from_the_seed() -> None:
    game = load("openspiel_chess")
    one, again, other = (game.initial_state(2, seed, {"chess960": True}) for seed in (1, 1, 2))
    assert one.to_json() == again.to_json() != other.to_json()


@pytest.mark.parametrize(
    ("name", "options", "row"),
    [
        ("connect_four", {}, "...x..."),
        ("chess", {}, "RNBQKBNR"),
        ("go", {"board_size": 9}, "...x....."),
    ],
)
def test_boards_of_well_known_games_are_grids(name: str, options: Any, row: str) -> None:
    game = load(f"openspiel_{name}")
    steps = {"connect_four": "x3", "chess": "e4", "go": "B d1"}
    state = game.initial_state(2, 0, options).apply(["play", steps[name]])
    grid = game.board(state.to_json())
    assert isinstance(grid, Grid)
    signs = {0: "x", 1: "o", None: "."}
    assert "".join(cell.label or signs[cell.colour] for cell in grid.cells[-1]) == row  # type: ignore[index]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("history", [[0, 3, "x3"], [0, 3, "x3"]]),
        ("history", [[0, 3, "o3"]]),
        ("history", [[None, 3, "x3"]]),
        ("history", [[0, 7, "x7"]]),
        ("history", [[0, 2**62, "x3"]]),
        ("state", "x"),
        ("acting", [1]),
        ("forfeited", [0, 0]),
        ("options", {}),
        ("options", {"rows": 0}),
        ("players", 3),
    ],
)
def test_hostile_document_is_refused(key: str, value: object) -> None:
    game = load("openspiel_connect_four")
    document = {**game.initial_state(2).to_json(), key: value}
    with pytest.raises(InvalidState):
        game.state_from_json(document)


def test_other_player_wins_by_a_forfeit() -> None:
    outcome = load("openspiel_connect_four").initial_state(2).forfeit(0).outcome
    assert outcome is not None
    assert outcome.ranking == (2, 1)


def test_with_three_players_the_first_action_is_played_for_a_bot_that_left() -> None:
    state = load("openspiel_kuhn_poker").initial_state(3, 1).forfeit(0)
    assert [entry[::2] for entry in state.to_json()["history"][3:]] == [[0, "Pass"]]
    state = first_steps(state, 2)
    assert state.outcome is not None
    assert state.outcome.ranking[0] == 3


def test_bot_that_leaves_in_a_joint_turn_plays_its_first_action() -> None:
    state = load("openspiel_matching_pennies_3p").initial_state(3)
    after = apply_joint(state, {0: ["play", "Tails"], 2: ["play", "Tails"]}, [1])
    assert [entry[::2] for entry in after.to_json()["history"]] == [
        [0, "Tails"], [1, "Heads"], [2, "Tails"]
    ]  # fmt: skip
    assert after.outcome is not None
    assert after.outcome.ranking[1] == 3


def test_long_history_is_read_back_from_the_position_before() -> None:
    game = load("openspiel_go")
    state = first_steps(game.initial_state(2, 0, {"board_size": 9}), 40)
    document = json.loads(json.dumps(state.to_json()))
    assert getattr(game.state_from_json(document), "node") is getattr(state, "node")  # noqa: B009


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mfg_garnet", "mean-field"),
        ("blackjack", "one player"),
        ("negotiation", "no record can play it again"),
        ("misere", "changes another one"),
        ("conect_four", "there are connect_four"),
    ],
)
def test_game_that_does_not_fit_is_refused_with_the_reason(name: str, words: str) -> None:
    with pytest.raises(UnknownGame, match=words):
        load(f"openspiel_{name}")


def test_without_the_extra_the_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in [name for name in sys.modules if name.startswith(f"{adapter.__name__}.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(UnknownGame, match=r"pip install .*\[openspiel\]"):
        adapter.find("openspiel_connect_four")
