"""Every game of this distribution keeps the interface; and the checks find games that do not."""

# ruff: noqa: ARG002 -- the games here ignore what the interface passes, to be found out

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import distribution
from typing import Any

import pytest

from polynya_games import Game, GameError, InvalidState, load
from polynya_games.checks import check_game
from polynya_games.game import Outcome, Step, Termination

CASES: list[tuple[str, int, Mapping[str, Any]]] = [
    *(("packeis", players, {}) for players in (2, 3, 4)),
    *(("arktia", players, {"round_limit": 12}) for players in (2, 3, 4)),
    ("arktia", 3, {"neutrals": True}),
    *(("icecult", players, {"turn_limit": 12}) for players in (2, 3, 4)),
    ("icecult", 2, {"setup": "scrambled", "turn_limit": 6}),
]

NAMES = [
    point.name for point in distribution("polynya").entry_points if point.group == "polynya.games"
]


def test_every_game_of_the_distribution_is_checked() -> None:
    assert set(NAMES) == {name for name, _, _ in CASES}


@pytest.mark.parametrize(("name", "players", "options"), CASES)
def test_the_game_keeps_the_interface(name: str, players: int, options: Mapping[str, Any]) -> None:
    findings = check_game(load(name), [players], matches=1, options=[options])
    assert [finding for finding in findings if not finding.ok] == []


class CountState:
    """A tiny game: players say 1 or 2 in turn, and who reaches 10 first wins."""

    def __init__(self, players: int, total: int = 0, to_move: int | None = 0) -> None:
        self.players = players
        self.total = total
        self.to_move = to_move
        self.forfeited: tuple[int, ...] = ()
        self.turn_over = True

    @property
    def outcome(self) -> Outcome | None:
        if self.to_move is not None:
            return None
        left = set(range(self.players)) - set(self.forfeited)
        ranking = tuple(1 if seat in left else 2 for seat in range(self.players))
        return Outcome(Termination.FINISHED, ranking, (0,) * self.players)

    def legal_steps(self) -> list[Step]:
        return [] if self.to_move is None else [("say", 1), ("say", 2)]

    def apply(self, step: object) -> Any:
        return self.apply_legal(step)

    def apply_legal(self, step: Any) -> Any:
        total = self.total + step[1]
        return CountState(self.players, total, None if total >= 10 else 1 - (self.to_move or 0))

    def forfeit(self, seat: int) -> Any:
        after = CountState(self.players, self.total, None)
        after.forfeited = (seat,)
        return after

    def to_json(self) -> dict[str, Any]:
        return {
            "game": "count",
            "players": self.players,
            "total": self.total,
            "to_move": self.to_move,
            "forfeited": self.forfeited,
        }


class Count(Game):
    name = "count"
    title = "Count"
    max_players = 2

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> CountState:
        return CountState(players)

    def state_from_json(self, data: object) -> CountState:
        if not isinstance(data, dict):
            raise InvalidState("it is no document")
        return CountState(data["players"], 0, data["to_move"])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bad_setups_are_refused", "setup(1, 0, {}) is not refused"),
        ("state_is_json", "to_json holds a value that is no plain JSON"),
        ("state_reads_back", "reading its document back gives another document"),
        ("bad_documents_are_refused", "KeyError: 'players'"),
        ("illegal_steps_are_refused", "TypeError: 'NoneType' object is not subscriptable"),
        ("bad_forfeits_are_refused", "a forfeit of seat -1 is not refused"),
    ],
)
def test_a_careless_game_is_found_out(name: str, sentence: str) -> None:
    finding = next(finding for finding in check_game(Count()) if finding.name == name)
    assert not finding.ok
    assert finding.sentence.endswith(sentence)


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ((0,), "scores_so_far has 1 numbers"),
        ((0.5, 0), "scores_so_far is (0.5, 0)"),
        ((1, 0), "scores_so_far is (1, 0) at the end"),
        (None, "scores_so_far is None at the end"),
    ],
)
def test_scores_that_do_not_become_the_outcomes_are_found_out(scores: Any, sentence: str) -> None:
    class Boasting(Count):
        def scores_so_far(self, state: Any) -> Any:
            return scores

    findings = check_game(Boasting())
    finding = next(finding for finding in findings if finding.name == "scores_so_far_fit")
    assert not finding.ok
    assert finding.sentence.endswith(sentence)


def test_a_game_that_says_no_scores_while_it_runs_is_sound() -> None:
    findings = {finding.name: finding for finding in check_game(Count())}
    assert findings["scores_so_far_fit"].ok


def test_a_game_that_raises_gives_findings() -> None:
    class Raising(Count):
        def setup(
            self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
        ) -> CountState:
            raise GameError("the box is empty")

    findings = {finding.name: finding for finding in check_game(Raising())}
    assert findings["random_matches_end"].sentence == "GameError: the box is empty"
    assert not any(finding.ok for finding in findings.values())


def test_an_endless_game_is_found_out() -> None:
    class EndlessState(CountState):
        def apply_legal(self, step: Any) -> Any:
            return self

    class Endless(Count):
        def setup(
            self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
        ) -> CountState:
            return EndlessState(players)

    findings = {finding.name: finding for finding in check_game(Endless())}
    assert findings["random_matches_end"].sentence == "2 players, seed 0: no end after 50000 steps"
