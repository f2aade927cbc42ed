"""The bot's thread is not the connection: searches end in time, and matches go on side by side."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import polynya_client
from polynya_client import Bot, Cancellation, Match, MatchOver, Turn
from polynya_client.turn import TurnFacts

GOODBYE = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]
SECONDS = 120


def over(seq: int, match: str = "m1") -> dict[str, Any]:
    return {"type": "match_over", "match": match, "seq": seq, "reason": "finished"}


def search_until_cancelled(turn: Turn) -> list[list[Any]]:
    assert turn.cancelled.wait(SECONDS)
    return [STEP]


FORFEITED = {"type": "forfeited", "match": "m1", "seq": 2, "seat": 1, "reason": "timeout"}


@pytest.mark.parametrize("end", [over(2), {**FORFEITED, "detail": "too late"}])
def test_a_search_ends_with_its_match_and_the_next_match_is_played(
    scripted_server: Any, end: dict[str, Any]
) -> None:
    bot = scripted_server.run(search_until_cancelled)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(remaining_ms=60_000)
    peer.send(end)
    peer.send({**scripted_server.match_start, "match": "m2"})

    assert peer.receive() == {"type": "ready", "match": "m2"}
    peer.send(GOODBYE)
    bot.result(SECONDS)


def test_a_search_ends_when_its_time_is_over(scripted_server: Any) -> None:
    scripted_server.run(search_until_cancelled)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(remaining_ms=50)

    assert peer.receive()["steps"] == [STEP]
    peer.send(GOODBYE)


def test_a_search_ends_when_the_connection_is_lost_and_the_bot_comes_back(
    scripted_server: Any,
) -> None:
    bot = scripted_server.run(search_until_cancelled)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(remaining_ms=600_000)
    peer.send({"type": "ping", "nonce": 1})
    peer.receive()
    peer.socket.close()

    again = scripted_server.accept()
    again.welcome()
    again.send(GOODBYE)
    bot.result(SECONDS)


def test_no_steps_after_the_time_are_no_fault_of_the_bot(
    scripted_server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def give_up(turn: Turn) -> list[list[Any]]:
        turn.cancelled.wait()
        return []

    bot = scripted_server.run(give_up)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(remaining_ms=20)
    peer.send(over(2), GOODBYE)
    bot.result(SECONDS)

    assert any("no move for turn 1" in r.getMessage() for r in caplog.records)


class Pondering(Bot):
    def __init__(self) -> None:
        self.pondered = threading.Event()
        self.ended = 0

    def turn(self, _turn: Turn) -> list[list[Any]]:
        return [STEP]

    def ponder(self, _match: Match, until: Cancellation) -> None:
        self.pondered.set()
        assert until.wait(SECONDS)
        self.ended += 1


def test_a_bot_thinks_on_the_opponents_time_until_it_is_asked(scripted_server: Any) -> None:
    bot = Pondering()
    running = scripted_server.run(bot)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    assert bot.pondered.wait(SECONDS)
    peer.ask()

    assert peer.receive()["steps"] == [STEP]
    peer.send(GOODBYE)
    running.result(SECONDS)
    assert bot.ended >= 1


def test_matches_with_a_bot_each_do_not_wait_for_each_other(scripted_server: Any) -> None:
    first_may_move = threading.Event()

    def choose(turn: Turn) -> list[list[Any]]:
        if turn.match.id == "m1":
            assert first_may_move.wait(SECONDS)
        return [STEP]

    bot = scripted_server.run_each(lambda: choose, concurrency=2)
    peer = scripted_server.accept()
    assert peer.welcome()["concurrency"] == 2
    peer.begin_match()
    peer.send({**scripted_server.match_start, "match": "m2"})
    assert peer.receive() == {"type": "ready", "match": "m2"}
    peer.ask()
    peer.send({"type": "turn", "match": "m2", "seq": 1, "turn": 1, "remaining_ms": 5000})

    assert peer.receive()["match"] == "m2"
    first_may_move.set()
    assert peer.receive()["match"] == "m1"
    peer.send(GOODBYE)
    bot.result(SECONDS)


def test_an_exception_of_one_of_several_bots_ends_them(scripted_server: Any) -> None:
    def choose(_turn: Turn) -> list[list[Any]]:
        raise ValueError("a bug")

    bot = scripted_server.run_each(lambda: choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    assert peer.receive() == {"type": "goodbye", "reason": "the bot ended by ValueError"}
    with pytest.raises(ValueError, match="a bug"):
        bot.result(SECONDS)


def test_hooks_tell_of_connections(scripted_server: Any) -> None:
    told: list[str | None] = []

    class Telling(Bot):
        def connected(self, name: str | None) -> None:
            told.append(name)

        def disconnected(self, reason: str) -> None:
            told.append(reason)

    bot = scripted_server.run(Telling())
    peer = scripted_server.accept()
    peer.welcome()
    peer.send(GOODBYE)
    bot.result(SECONDS)

    assert told == ["ada", "finished"]


def test_exception_of_the_hook_connected_says_goodbye(scripted_server: Any) -> None:
    class Picky(Bot):
        def connected(self, _name: str | None) -> None:
            raise LookupError("not this server")

    bot = scripted_server.run(Picky())
    peer = scripted_server.accept()
    peer.welcome()

    assert peer.receive() == {"type": "goodbye", "reason": "the bot ended by LookupError"}
    with pytest.raises(LookupError, match="not this server"):
        bot.result(SECONDS)


def test_messages_are_kept_as_they_came(scripted_server: Any) -> None:
    turns: list[TurnFacts] = []

    def choose(turn: Turn) -> list[list[Any]]:
        turns.append(turn)
        return [STEP]

    bot = scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match(weather="cold")
    peer.ask(hint=7)
    peer.receive()
    peer.send(GOODBYE)
    bot.result(SECONDS)

    (turn,) = turns
    assert (turn.message["hint"], turn.match.message["weather"]) == (7, "cold")


def test_the_environment_says_games_and_concurrency(
    scripted_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYNYA_GAMES", "packeis, , icecult,")
    monkeypatch.setenv("POLYNYA_CONCURRENCY", "3")
    scripted_server.run(search_until_cancelled, games="arktia")
    peer = scripted_server.accept()
    hello = peer.welcome()
    peer.send(GOODBYE)

    assert (hello["games"], hello["concurrency"]) == (["packeis", "icecult"], 3)


def test_a_bot_without_a_rating_before_the_match_has_none_there(scripted_server: Any) -> None:
    results: list[MatchOver] = []

    class Rated(Bot):
        def match_over(self, _match: Match, over: MatchOver) -> None:
            results.append(over)

    bot = scripted_server.run(Rated())
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.send(
        {**over(1), "ratings": [{"name": "ada", "before": None, "after": 1500}], "news": 1}, GOODBYE
    )
    bot.result(SECONDS)

    (result,) = results
    assert (result.ratings, result.message["news"]) == ({"ada": (None, 1500)}, 1)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("CONCURRENCY", "many", "POLYNYA_CONCURRENCY is a number of matches, from 1, not 'many'"),
        ("CONCURRENCY", "0", "POLYNYA_CONCURRENCY is a number of matches, from 1, not '0'"),
        ("CA_FILE", "/nowhere.pem", "the authorities in /nowhere.pem cannot be read"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(f"POLYNYA_{name}", value)
    with pytest.raises(polynya_client.BadSettings, match=sentence):
        polynya_client.run(search_until_cancelled, name="ada", port=4242, tls=True)


def test_time_left_is_never_negative() -> None:
    match = Match(
        {"type": "match_start", "match": "m1", "seq": 0, "game": "packeis", "seat": 0,
         "players": [], "options": {}, "clock": {"move_ms": 1000}, "state": {}},
        lambda _message: None,
    )  # fmt: skip
    turn = TurnFacts(match, {"type": "turn", "turn": 1, "remaining_ms": 1000}, time.monotonic())

    assert 0 < turn.time_left(margin_ms=100) <= 0.9
    assert turn.time_left(margin_ms=5000) == 0
