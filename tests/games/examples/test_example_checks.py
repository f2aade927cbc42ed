"""The example games pass `polynya games check`, and twins of them that leak are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from polynya_example_games.goofspiel import GOOFSPIEL, Goofspiel, GoofspielState
from polynya_example_games.kuhn import KUHN, Kuhn, KuhnState
from polynya_example_games.snakes import SNAKES
from tests.games.twins import twin

from polynya_games import Game, IllegalStep
from polynya_games.chance import Chance
from polynya_games.checks import Finding, check_game

KNOWLEDGE = {
    "declarations_fit",
    "knowledge_is_json",
    "turns_end_with_chance",
    "answers_come_in_any_order",
    "joint_turns_are_whole",
    "guesses_agree",
    "nothing_leaks",
}


def failed(game: Game, **options: Any) -> dict[str, str]:
    """The sentences of the findings that are not good, by name."""
    findings = check_game(game, matches=1, options=[options])
    return {finding.name: finding.sentence for finding in findings if not finding.ok}


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (KUHN, {"hands": 6}),
        (GOOFSPIEL, {"cards": 3}),
        (GOOFSPIEL, {"cards": 6}),
        (SNAKES, {}),
        (SNAKES, {"size": 7, "turn_limit": 4}),
    ],
)
def test_the_game_keeps_the_interface(game: Game, options: Mapping[str, Any]) -> None:
    findings = check_game(game, matches=2, options=[options])
    assert [finding for finding in findings if not finding.ok] == []
    assert {finding.name for finding in findings} >= KNOWLEDGE


def test_a_view_that_depends_on_the_other_card_is_found() -> None:
    class Leaking(KuhnState, frozen=True):
        def view(self, seat: int | None) -> dict[str, Any]:
            return super().view(seat) | {"tell": sum(self.cards)}

    assert "learns by view what is hidden" in failed(twin(Leaking), hands=4)["guesses_agree"]


def test_a_view_whose_length_depends_on_the_other_card_is_found() -> None:
    class Leaking(KuhnState, frozen=True):
        def view(self, seat: int | None) -> dict[str, Any]:
            return super().view(seat) | {"padding": "x" * self.cards[1]}

    assert "learns by view what is hidden" in failed(twin(Leaking), hands=4)["guesses_agree"]


def test_a_deal_in_the_view_is_found() -> None:
    class Leaking(KuhnState, frozen=True):
        def view(self, seat: int | None) -> dict[str, Any]:
            return super().view(seat) | {"deal": self.deal.hex()}

    assert "learns by view" in failed(twin(Leaking), hands=4)["guesses_agree"]


def test_what_is_seen_of_a_hidden_card_is_found() -> None:
    class Leaking(KuhnState, frozen=True):
        def seen(self, seat: int | None) -> list[dict[str, Any]]:
            return [*super().seen(seat), {"sum": sum(self.cards)}]

    assert "learns by seen what is hidden" in failed(twin(Leaking), hands=4)["guesses_agree"]


def test_steps_that_depend_on_the_other_card_are_found() -> None:
    class Leaking(KuhnState, frozen=True):
        def legal_steps(self) -> Any:
            steps = super().legal_steps()
            other = 1 - (self.to_move or 0)
            return [step for step in steps if step != ("bet",) or self.cards[other] < 3]

    assert "the legal steps tell seat" in failed(twin(Leaking), hands=4)["nothing_leaks"]


@pytest.mark.parametrize("text", ["the other holds {}", "no{}"])
def test_a_refusal_that_depends_on_the_other_card_is_found(text: str) -> None:
    class Leaking(KuhnState, frozen=True):
        def apply(self, step: object) -> KuhnState:
            try:
                return super().apply(step)
            except IllegalStep as error:
                card = self.cards[1 - (self.to_move or 0)]
                raise IllegalStep(text.format("o" * card)) from error

    assert "a refusal tells seat" in failed(twin(Leaking), hands=6)["nothing_leaks"]


def test_a_refusal_whose_fields_depend_on_the_other_card_are_found() -> None:
    class Leaking(KuhnState, frozen=True):
        def apply(self, step: object) -> KuhnState:
            try:
                return super().apply(step)
            except IllegalStep as error:
                raise IllegalStep(str(error), "code", {"cards": list(self.cards)}) from error

    assert "a refusal tells seat" in failed(twin(Leaking), hands=6)["nothing_leaks"]


def test_scores_that_depend_on_hidden_cards_are_found() -> None:
    class Twin(Kuhn):
        def scores_so_far(self, state: KuhnState) -> tuple[int, ...]:
            return state.cards if state.outcome is None else state.chips

    found = failed(Twin(), hands=4)
    assert "scores_so_far tell spectators" in found["nothing_leaks"]


def test_a_seat_that_is_told_its_own_step_is_concealed_is_found() -> None:
    class Concealing(KuhnState, frozen=True):
        def concealed(self, seat: int | None) -> Sequence[int]:
            return () if seat is None else (0,)

    assert "names the seat itself" in failed(twin(Concealing), hands=4)["knowledge_is_json"]


def test_what_is_concealed_by_a_hidden_card_is_found() -> None:
    class Concealing(KuhnState, frozen=True):
        def concealed(self, seat: int | None) -> Sequence[int]:
            return (1,) if seat == 0 and self.cards[1] == 3 else ()

    assert "learns by concealed" in failed(twin(Concealing), hands=4)["guesses_agree"]


def test_a_step_that_draws_before_the_end_of_the_turn_is_found() -> None:
    class Peeking(KuhnState, frozen=True):
        @property
        def turn_over(self) -> bool:
            return len(self.bets) != 1 and super().turn_over

        def apply_legal(self, step: Any) -> KuhnState:
            if not self.bets:
                Chance(self.deal, self.drawn).next()
            return super().apply_legal(step)

    assert "draws, and the turn goes on" in failed(twin(Peeking), hands=4)["turns_end_with_chance"]


def test_a_view_that_draws_is_found() -> None:
    class Drawing(KuhnState, frozen=True):
        def view(self, seat: int | None) -> dict[str, Any]:
            Chance(self.deal, self.drawn).next()
            return super().view(seat)

    found = failed(twin(Drawing), hands=4)
    assert found["turns_end_with_chance"].endswith("view, seen or legal_steps draws from the deal")


def test_a_game_without_guesses_is_not_tried() -> None:
    class Silent:
        """A state that has all of another but `guess`."""

        def __init__(self, state: KuhnState) -> None:
            self._state = state

        def __getattr__(self, name: str) -> Any:
            if name in ("guess", "acting", "concealed", "apply_joint", "checked_step"):
                raise AttributeError(name)
            return getattr(self._state, name)

        def apply(self, step: object) -> Any:
            return Silent(self._state.apply(step))

        def apply_legal(self, step: Any) -> Any:
            return Silent(self._state.apply_legal(step))

        def forfeit(self, seat: object) -> Any:
            return Silent(self._state.forfeit(seat))

    class Careful(Kuhn):
        def setup(self, *arguments: Any, **given: Any) -> Any:
            return Silent(super().setup(*arguments, **given))

        def state_from_json(self, data: object) -> Any:
            return Silent(super().state_from_json(data))

    findings = {
        each.name: each for each in check_game(Careful(), matches=1, options=[{"hands": 2}])
    }
    said = "not tried: the states have no method guess(seat, seed)"
    assert findings["nothing_leaks"] == Finding("nothing_leaks", True, said)


def test_a_joint_turn_that_depends_on_the_order_of_answers_is_found() -> None:
    class Hasty(GoofspielState, frozen=True):
        def _played(self, bids: Mapping[int, int], leaving: tuple[int, ...]) -> GoofspielState:
            first = next(iter(bids), None)
            lowered = {seat: bid for seat, bid in bids.items() if seat == first or bid > 1}
            return super()._played(lowered, leaving)

    class Twin(Goofspiel):
        def setup(self, *arguments: Any, **given: Any) -> GoofspielState:
            state = super().setup(*arguments, **given)
            return Hasty(**{name: getattr(state, name) for name in state.__struct_fields__})

    found = failed(Twin(), cards=3)
    assert "another order of" in found["answers_come_in_any_order"]


def test_declarations_that_do_not_fit_are_found() -> None:
    assert "joint is True" in failed(twin(KuhnState, joint=True), hands=4)["declarations_fit"]
