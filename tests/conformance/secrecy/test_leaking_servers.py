"""A server that is made leaking is found in the frames that it sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from polynya_example_games.goofspiel import GOOFSPIEL
from polynya_example_games.kuhn import KUHN, KuhnState
from tests.games.twins import twin

from polynya_conformance.secrecy.frame_check import check_frames
from polynya_games import Game, IllegalStep, seats
from polynya_server.match import match_messages, referee
from polynya_server.match.match import Match
from polynya_server.match.position import Position
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Answer, Reply, Transition
from polynya_server.spectating import spectator_hub


def failed(game: Game, players: int = 2, **options: Any) -> dict[str, str]:
    """The sentences of the comparisons that find a difference, by name."""
    findings = check_frames(game, [players], options)
    return {each.name: each.sentence for each in findings if not each.ok}


def changed(
    monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[..., dict[str, Any]]
) -> None:
    """Let a function of the server's messages change keys of its message by its arguments."""
    original = getattr(match_messages, name)

    def leaking(*arguments: Any) -> Any:
        message = original(*arguments)
        return msgspec.structs.replace(message, **change(message, *arguments))

    monkeypatch.setattr(match_messages, name, leaking)
    monkeypatch.setattr(spectator_hub, name, leaking, raising=False)


def on_answer(monkeypatch: pytest.MonkeyPatch, act: Callable[[Referee, int, Answer], None]) -> None:
    """Let the referee do something as soon as one seat has answered."""
    original = Referee._take

    def leaking(self: Referee, seat: int, reply: Reply) -> None:
        if type(reply) is Answer:
            act(self, seat, reply)
        original(self, seat, reply)

    monkeypatch.setattr(Referee, "_take", leaking)


def test_messages_in_the_order_of_the_answers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "sorted", lambda items: list(items), raising=False)
    assert "moved.seat is" in failed(GOOFSPIEL, cards=3)["frames_do_not_depend_on_order"]


def test_moved_before_all_have_answered_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(self: Referee, seat: int, answer: Answer) -> None:
        steps: Any = answer.steps
        turn = self._turn_record(seat, answer, steps, self.clock.remaining_ms())
        for listener in self._listeners:
            listener.moved(turn, Transition(self.state, False))

    on_answer(monkeypatch, tell)
    found = failed(GOOFSPIEL, cards=3)["frames_tell_no_answer_early"]
    assert found.endswith("moved comes once only")


@pytest.mark.parametrize("players", [2, 3])
def test_a_clock_that_is_charged_early_is_found(
    monkeypatch: pytest.MonkeyPatch, players: int
) -> None:
    def charge(self: Referee, seat: int, answer: Answer) -> None:
        self.clock.charge(seat, answer.timing.charged_ms)

    on_answer(monkeypatch, charge)
    found = failed(GOOFSPIEL, players, cards=3)["frames_tell_no_answer_early"]
    assert "match_resume.remaining_ms is" in found


def test_running_clocks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = vars(Match)["position"].fget

    def running(self: Match) -> Position:
        position: Position = original(self)
        remaining_ms = [
            None if budget is None else budget - (seat.running_ms or 0)
            for budget, seat in zip(position.remaining_ms, self.seats, strict=True)
        ]
        return Position(position.state, remaining_ms, position.limit_ms)

    monkeypatch.setattr(Match, "position", property(running))
    found = failed(GOOFSPIEL, cards=3)["frames_tell_no_answer_early"]
    assert "match_resume.remaining_ms is" in found


def test_acting_seats_without_those_that_have_answered_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def waiting(message: Any, match: Any, *_: Any) -> dict[str, Any]:
        view = match if isinstance(match, Match) else None
        if view is None:
            return {}
        replied = view._referee._replies
        return {"acting": [seat for seat in message.acting if seat not in replied]}

    changed(monkeypatch, "match_resume", waiting)
    found = failed(GOOFSPIEL, cards=3)["frames_tell_no_answer_early"]
    assert "match_resume.acting is" in found


@pytest.mark.parametrize(
    ("game", "comparison"),
    [(GOOFSPIEL, "frames_do_not_depend_on_order"), (KUHN, "frames_tell_nothing_hidden")],
)
def test_remarks_that_are_shown_early_are_found(
    monkeypatch: pytest.MonkeyPatch, game: Game, comparison: str
) -> None:
    def remark(_: Any, __: str, ___: int, turn: Any, *____: Any) -> dict[str, Any]:
        return {"seen": [{"info": turn.info}]}

    changed(monkeypatch, "moved_message", remark)
    assert "moved.seen is" in failed(game)[comparison]


def test_true_sentences_about_the_forfeits_of_others_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Careful(KuhnState, frozen=True):
        def apply(self, step: object) -> KuhnState:
            try:
                return super().apply(step)
            except IllegalStep as error:
                raise IllegalStep(f"you hold {self.cards[self.to_move or 0]}") from error

    game = twin(Careful)
    assert failed(game) == {}
    changed(
        monkeypatch,
        "forfeited_message",
        lambda _, __, ___, forfeit, *____: {"detail": str(forfeit.detail)},
    )
    assert "forfeited.detail is" in failed(game)["frames_tell_nothing_hidden"]


def test_a_whole_position_for_spectators_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(message: Any, match: Any, *_: Any) -> dict[str, Any]:
        return {"state": match.position.state.to_json()} if message.seat is None else {}

    changed(monkeypatch, "match_resume", whole)
    found = failed(KUHN)["frames_tell_nothing_hidden"]
    assert "a spectator receives other frames when the match begins" in found


def test_the_view_of_another_seat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_the_rival(message: Any, match: Match, *_: Any) -> dict[str, Any]:
        return {"state": seats.view(match.initial_state, 1 - message.seat)}

    changed(monkeypatch, "match_start", of_the_rival)
    assert "match_start.state is" in failed(KUHN)["frames_tell_nothing_hidden"]


def test_a_deal_that_is_told_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def deal(message: Any, match: Match, *_: Any) -> dict[str, Any]:
        return {"options": {**message.options, "deal": match.setup.deal}}

    changed(monkeypatch, "match_start", deal)
    assert "match_start.options is" in failed(KUHN)["frames_tell_nothing_hidden"]


def test_a_match_that_never_asks_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(self: Referee) -> None:
        del self

    monkeypatch.setattr("polynya_conformance.secrecy.observed_match.PATIENCE_S", 0.2)
    monkeypatch.setattr(Referee, "begin", silent)
    found = failed(KUHN)["frames_tell_nothing_hidden"]
    assert found.endswith("the server did not answer within 0.2 s: the match begins")
