"""What the SDK does with a server's messages, seen from the other end of a real socket."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest

import polynya_client
from polynya_client import Bot, Forfeited, Match, MatchOver, Moved, Turn

GOODBYE = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]
SECRET = {"token": "secret"}


def play_step(_turn: Turn) -> list[list[Any]]:
    return [STEP]


def test_move_answers_turn_with_info(scripted_server: Any) -> None:
    def choose(turn: Turn) -> list[list[Any]]:
        turn.info["score"] = 2.5
        return [STEP]

    scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(turn=7)

    assert peer.receive() == {
        "type": "move",
        "match": "m1",
        "turn": 7,
        "steps": [STEP],
        "info": {"score": 2.5},
    }
    peer.send(GOODBYE)


def test_turn_says_what_the_server_said(scripted_server: Any) -> None:
    turns: list[Turn] = []

    def choose(turn: Turn) -> list[list[Any]]:
        turns.append(turn)
        return [STEP]

    bot = scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(turn=7, state={"fish": [1]}, legal=[STEP])
    peer.receive()
    peer.send(GOODBYE)
    bot.result(120)

    (turn,) = turns
    assert (turn.game, turn.seat, turn.number, turn.remaining_ms) == ("packeis", 1, 7, 5000)
    assert (turn.state, turn.legal) == ({"fish": [1]}, [STEP])
    assert [(p.name, p.rating) for p in turn.players] == [("bob", 1510.5), ("ada", None)]
    assert turn.remaining <= 5.0


def test_legal_after_asks_the_server_and_pings_are_answered_meanwhile(
    scripted_server: Any,
) -> None:
    scripted_server.run(lambda turn: [STEP, *turn.legal_after([STEP]).steps])
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    assert peer.receive() == {"type": "steps", "match": "m1", "turn": 1, "steps": [STEP]}
    peer.send({"type": "ping", "nonce": 5})
    assert peer.receive() == {"type": "pong", "nonce": 5}
    peer.send({"type": "legal", "match": "m1", "turn": 1, "legal": [["end"]], "turn_over": False})
    assert peer.receive()["steps"] == [STEP, ["end"]]
    peer.send(GOODBYE)


def test_question_that_the_server_refuses_leaves_the_turn_without_a_move(
    scripted_server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    bot = scripted_server.run(lambda turn: turn.legal_after([["fly"]]).steps)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.receive()
    peer.send(
        {"type": "error", "code": "malformed", "message": "no verb fly", "fatal": False,
         "match": "m1", "turn": 1},
        {"type": "ping", "nonce": 1},
    )  # fmt: skip

    assert peer.receive() == {"type": "pong", "nonce": 1}
    peer.send(GOODBYE)
    bot.result(120)
    assert [r.getMessage() for r in caplog.records][:-1] == [
        "no move for turn 1 of match m1: no verb fly"
    ]


@pytest.mark.parametrize("about", [{}, {"match": "m1", "turn": 0}, {"match": "m0", "turn": 1}])
def test_error_about_something_else_does_not_answer_a_question(
    scripted_server: Any, about: dict[str, Any]
) -> None:
    scripted_server.run(lambda turn: turn.legal_after([]).steps)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.receive()
    peer.send(
        {"type": "error", "code": "rate_limited", "message": "slower", "fatal": False, **about},
        {"type": "legal", "match": "m1", "turn": 1, "legal": [STEP], "turn_over": False},
    )

    assert peer.receive()["steps"] == [STEP]
    peer.send(GOODBYE)


def test_events_during_legal_after_are_handled_in_order_afterwards(scripted_server: Any) -> None:
    follower = Follower(ask=True)
    bot = scripted_server.run(follower, wants=["moved"])
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.receive()
    peer.send(
        {"type": "forfeited", "match": "m1", "seq": 2, "seat": 0, "reason": "resigned",
         "detail": "bob resigned"},
        {"type": "match_over", "match": "m1", "seq": 3, "ranking": [2, 1], "scores": [0, 1],
         "reason": "forfeit", "replay": "m1"},
        GOODBYE,
    )  # fmt: skip
    bot.result(120)

    assert follower.seen == [
        "start m1",
        "turn 1",
        ("m1", Forfeited(0, "resigned", "bob resigned")),
        ("m1", MatchOver("forfeit", [2, 1], [0, 1], None, "m1", {})),
    ]


class Follower(Bot):
    """A bot that writes down what happens."""

    def __init__(self, ask: bool = False) -> None:
        self.ask = ask
        self.seen: list[Any] = []

    def match_start(self, match: Match) -> None:
        self.seen.append(f"{'resume' if match.resumed else 'start'} {match.id}")

    def turn(self, turn: Turn) -> list[list[Any]]:
        self.seen.append(f"turn {turn.number}")
        if self.ask:
            turn.legal_after([STEP])
        return [STEP]

    def moved(self, match: Match, moved: Moved) -> None:
        self.seen.append((match.id, moved))

    def forfeited(self, match: Match, forfeited: Forfeited) -> None:
        self.seen.append((match.id, forfeited))

    def match_over(self, match: Match, over: MatchOver) -> None:
        self.seen.append((match.id, over))


def test_unknown_types_keys_and_matches_are_ignored(scripted_server: Any) -> None:
    scripted_server.run(play_step)
    peer = scripted_server.accept()
    peer.welcome(novelty=1)
    peer.send({"type": "weather", "ice": "thin"})
    peer.send({"type": "turn", "match": "other", "seq": 9, "turn": 1, "remaining_ms": 1})
    peer.begin_match(colour="white")
    peer.ask(hurry=True)

    assert peer.receive()["type"] == "move"
    peer.send(GOODBYE)


def test_ping_is_answered_with_its_nonce(scripted_server: Any) -> None:
    scripted_server.run(play_step)
    peer = scripted_server.accept()
    peer.welcome()
    peer.send({"type": "ping", "nonce": "abc"})

    assert peer.receive() == {"type": "pong", "nonce": "abc"}
    peer.send(GOODBYE)


def test_pings_are_answered_while_the_bot_thinks(scripted_server: Any) -> None:
    thought_enough = threading.Event()

    def choose(_turn: Turn) -> list[list[Any]]:
        thought_enough.wait(120)
        return [STEP]

    scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    peer.send({"type": "ping", "nonce": "n"})
    assert peer.receive() == {"type": "pong", "nonce": "n"}
    thought_enough.set()
    assert peer.receive()["type"] == "move"
    peer.send(GOODBYE)


def test_resigning_sends_no_move(scripted_server: Any) -> None:
    def choose(turn: Turn) -> list[list[Any]]:
        turn.resign()
        return []

    scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.send({"type": "ping", "nonce": 1})

    assert peer.receive() == {"type": "resign", "match": "m1"}
    assert peer.receive() == {"type": "pong", "nonce": 1}
    peer.send(GOODBYE)


def test_error_that_is_not_fatal_is_logged_without_control_characters(
    scripted_server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    bot = scripted_server.run(play_step)
    peer = scripted_server.accept()
    peer.welcome()
    peer.send({"type": "error", "code": "late", "message": "too \x1b[31mlate", "fatal": False})
    peer.send(GOODBYE)
    bot.result(120)

    assert [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING][:-1] == [
        "the server says late: too \\x1b[31mlate"
    ]


def test_fatal_error_is_raised_with_its_code(scripted_server: Any) -> None:
    bot = scripted_server.run(play_step)
    peer = scripted_server.accept()
    peer.receive()
    peer.send({"type": "error", "code": "name_taken", "message": "choose another", "fatal": True})

    with pytest.raises(polynya_client.ServerError, match="name_taken: choose another") as caught:
        bot.result(120)
    assert caught.value.code == "name_taken"


def test_exception_in_the_bot_says_goodbye_and_leaves_run(scripted_server: Any) -> None:
    def choose(_turn: Turn) -> list[list[Any]]:
        raise ZeroDivisionError("a bug of the author's")

    bot = scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    assert peer.receive() == {"type": "goodbye", "reason": "the bot ended by ZeroDivisionError"}
    assert peer.ended()
    with pytest.raises(ZeroDivisionError, match="a bug of the author's"):
        bot.result(120)


def test_forgotten_return_is_explained(scripted_server: Any) -> None:
    bot = scripted_server.run(lambda _turn: None)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    with pytest.raises(polynya_client.BadTurn, match="the bot gave None as its turn"):
        bot.result(120)


def test_state_that_was_not_asked_for_is_explained(scripted_server: Any) -> None:
    bot = scripted_server.run(lambda turn: turn.state["fish"], wants=[])
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    with pytest.raises(polynya_client.NotWanted, match=r'wants=\["state"\]'):
        bot.result(120)


class Observer(Bot):
    """Writes down what each event of a joint match tells, and which seats are asked then."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def match_start(self, match: Match) -> None:
        self.seen.append(("start", match.is_view, match.is_joint, match.acting, match.state))

    def turn(self, turn: Turn) -> list[list[Any]]:
        return play_step(turn)

    def moved(self, match: Match, moved: Moved) -> None:
        told = (moved.seat, moved.concealed, moved.steps, moved.acting, moved.seen)
        self.seen.append(("moved", *told, match.acting))

    def forfeited(self, match: Match, forfeited: Forfeited) -> None:
        told = (forfeited.turn, forfeited.acting, forfeited.seen)
        self.seen.append(("forfeited", *told, match.acting))

    def match_over(self, match: Match, over: MatchOver) -> None:
        self.seen.append(("over", match.is_view, over.deal))


def test_joint_turn_tells_what_the_seat_may_know(scripted_server: Any) -> None:
    observer = Observer()
    bot = scripted_server.run(observer)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match(state={"hand": 5}, acting=[0, 1, 2], joint=True, view=True)
    peer.ask()
    peer.receive()
    played = {
        "type": "moved",
        "match": "m1",
        "turn": 1,
        "elapsed_ms": 3,
        "remaining_ms": [None] * 3,
    }
    last = {"acting": [0, 1], "seen": [{"lost": 7}]}
    peer.send({**played, "seq": 2, "seat": 0, "steps": None})
    peer.send({**played, "seq": 3, "seat": 1, "steps": [STEP], **last})
    peer.ask(seq=4, turn=2)
    assert peer.receive()["turn"] == 2
    left = {"seat": 0, "reason": "resigned", "detail": "bob resigned", "turn": 2, "acting": []}
    peer.send({"type": "forfeited", "match": "m1", "seq": 5, **left, "seen": [{"won": True}]})
    over = {"reason": "forfeit", "deal": "0a1b"}
    peer.send({"type": "match_over", "match": "m1", "seq": 6, **over}, GOODBYE)
    bot.result(120)

    assert observer.seen == [
        ("start", True, True, [0, 1, 2], {"hand": 5}),
        ("moved", 0, True, None, None, (), [0, 1, 2]),
        ("moved", 1, False, [STEP], [0, 1], [{"lost": 7}], [0, 1]),
        ("forfeited", 2, [], [{"won": True}], []),
        ("over", True, "0a1b"),
    ]


def test_seats_that_act_are_those_after_the_event_that_is_told(scripted_server: Any) -> None:
    released = threading.Event()
    acting: list[tuple[int, list[int] | None]] = []

    class Slow(Bot):
        def turn(self, turn: Turn) -> list[list[Any]]:
            return play_step(turn)

        def moved(self, match: Match, moved: Moved) -> None:
            assert released.wait(120)
            acting.append((moved.turn, match.acting))

    bot = scripted_server.run(Slow())
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match(acting=[0], view=True)
    moved = {"type": "moved", "match": "m1", "seat": 0, "elapsed_ms": 3, "remaining_ms": [None]}
    peer.send({**moved, "seq": 1, "turn": 1, "acting": [0]})
    peer.send({**moved, "seq": 2, "turn": 2, "acting": []}, {"type": "ping", "nonce": 1})
    assert peer.receive() == {"type": "pong", "nonce": 1}
    released.set()
    peer.send(GOODBYE)
    bot.result(120)

    assert acting == [(1, [0]), (2, [])]
