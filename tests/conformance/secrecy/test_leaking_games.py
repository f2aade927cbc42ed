"""Twins of the example games that leak are found in the frames that a server sends."""

from __future__ import annotations

from typing import Any

import pytest
from polynya_example_games.goofspiel import GOOFSPIEL
from polynya_example_games.kuhn import KUHN, Kuhn, KuhnState
from tests.games.twins import twin

from polynya_conformance.secrecy.frame_check import check_frames
from polynya_games import Game, IllegalStep, load
from polynya_games.checks import Finding, check_game

COMPARED = "5 positions, played over sockets"


class TellingView(KuhnState, frozen=True):
    def view(self, seat: int | None) -> dict[str, Any]:
        return super().view(seat) | {"tell": sum(self.cards)}


class LongView(KuhnState, frozen=True):
    def view(self, seat: int | None) -> dict[str, Any]:
        return super().view(seat) | {"padding": "x" * self.cards[1]}


class TellingSteps(KuhnState, frozen=True):
    def legal_steps(self) -> Any:
        other = 1 - (self.to_move or 0)
        steps = super().legal_steps()
        return [step for step in steps if step[0] not in ("bet", "call") or self.cards[other] < 3]


class TellingRefusal(KuhnState, frozen=True):
    def apply(self, step: object) -> KuhnState:
        try:
            return super().apply(step)
        except IllegalStep as error:
            card = self.cards[1 - (self.to_move or 0)]
            raise IllegalStep(f"the other holds {card}") from error


class TellingNews(KuhnState, frozen=True):
    def seen(self, seat: int | None) -> list[dict[str, Any]]:
        return [*super().seen(seat), {"sum": sum(self.cards)}]


class TellingScores(Kuhn):
    def scores_so_far(self, state: KuhnState) -> tuple[int, ...]:
        return state.cards if state.outcome is None else state.chips


def found(game: Game, **options: Any) -> str:
    """The sentence of the comparison of a position with its guesses; empty if they are equal."""
    findings = {each.name: each for each in check_frames(game, options=options)}
    finding = findings["frames_tell_nothing_hidden"]
    return "" if finding.ok else finding.sentence


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        (twin(TellingView), "match_start.state is"),
        (twin(LongView), "match_start.state is"),
        (twin(TellingSteps), "turn.legal is"),
        (twin(TellingRefusal), "error.message is"),
        (TellingScores(), "moved.scores is"),
    ],
)
def test_frames_that_depend_on_a_hidden_card_are_found(game: Game, sentence: str) -> None:
    assert sentence in found(game, hands=4)


def test_news_that_depend_on_a_hidden_card_are_found_without_a_server() -> None:
    """The news are what a seat knows: two positions with other news need not have equal frames."""
    findings = check_game(twin(TellingNews), matches=1, options=[{"hands": 4}])
    sentence = next(each.sentence for each in findings if each.name == "guesses_agree")
    assert "learns by seen what is hidden" in sentence


def test_the_frames_of_the_example_games_keep_their_secrets() -> None:
    assert [Finding("frames_tell_nothing_hidden", True, COMPARED)] == check_frames(KUHN)
    findings = check_frames(GOOFSPIEL, [2, 3], {"cards": 4})
    assert [each for each in findings if not each.ok] == []
    assert [each.name for each in findings] == [
        "frames_tell_nothing_hidden",
        "frames_do_not_depend_on_order",
        "frames_tell_no_answer_early",
    ]


def test_a_game_that_hides_nothing_has_no_frames_to_compare() -> None:
    assert check_frames(load("packeis"), [2]) == []


def test_a_game_that_fails_in_a_match_gives_a_finding() -> None:
    class Failing(KuhnState, frozen=True):
        def seen(self, seat: int | None) -> list[dict[str, Any]]:
            raise KeyError(seat)

    assert found(twin(Failing), hands=2).endswith("KeyError: 0")


def test_a_game_without_guesses_is_not_tried() -> None:
    class Silent(KuhnState, frozen=True):
        def __getattribute__(self, name: str) -> Any:
            if name == "guess":
                raise AttributeError(name)
            return super().__getattribute__(name)

    said = "not tried: the states have no method guess(seat, seed)"
    assert [Finding("frames_tell_nothing_hidden", True, said)] == check_frames(twin(Silent))
