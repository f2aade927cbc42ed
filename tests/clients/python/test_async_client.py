"""The SDK for bots in asyncio and trio: the blocking one's conversations, many matches."""

from __future__ import annotations

import re
import ssl
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import anyio
import pytest
import trustme
from tests.clients import matches, toolchains
from tests.clients.python.test_remarks import SHARED, UNSENDABLE

from polynya_client import aio
from polynya_client.aio import Bot, Forfeited, Match, MatchOver, Moved, Turn

GOODBYE = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]
SECRET = {"token": "secret"}
RESUME = {
    "type": "match_resume", "match": "m1", "seq": 4, "game": "packeis", "seat": 1, "players": [],
    "options": {}, "clock": {"move_ms": 100}, "state": {}, "remaining_ms": [None, None],
}  # fmt: skip


@pytest.fixture(params=["asyncio", "trio"])
def loop(request: pytest.FixtureRequest) -> str:
    """The library of the event loop."""
    return str(request.param)


@pytest.fixture
def start(scripted_server: Any, loop: str) -> Callable[..., Future[None]]:
    """Runs a bot in a thread with an event loop of its own."""

    def run(bot: Any, **arguments: Any) -> Future[None]:
        given = {"name": "ada", "port": scripted_server.port, **arguments}

        async def main() -> None:
            with anyio.fail_after(120):
                await aio.run(bot, **given)

        future: Future[None] = scripted_server._threads.submit(anyio.run, main, backend=loop)
        return future

    return run


async def play_step(_turn: Turn) -> list[list[Any]]:
    return [STEP]


def test_move_answers_turn_with_info(scripted_server: Any, start: Any) -> None:
    async def choose(turn: Turn) -> list[list[Any]]:
        turn.info["score"] = 2.5
        return [STEP]

    bot = start(choose)
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
    assert bot.result(120) is None


def test_remark_of_any_value_costs_no_match(scripted_server: Any, start: Any) -> None:
    cases = [(one["info"], one["sent"]) for one in SHARED]
    cases += [(info, False) for info in UNSENDABLE.values()]

    async def choose(turn: Turn) -> list[list[Any]]:
        turn.info = cases[turn.number - 1][0]
        return [STEP]

    bot = start(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    for number, (info, sent) in enumerate(cases, start=1):
        peer.ask(seq=number, turn=number)
        move = {"type": "move", "match": "m1", "turn": number, "steps": [STEP]}
        assert peer.receive() == (move | {"info": info} if sent else move)
    peer.send(GOODBYE)
    assert bot.result(120) is None


def test_legal_after_asks_the_server_and_pings_are_answered_meanwhile(
    scripted_server: Any, start: Any
) -> None:
    async def choose(turn: Turn) -> list[list[Any]]:
        return [STEP, *(await turn.legal_after([STEP])).steps]

    start(choose)
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


def test_matches_are_played_side_by_side(scripted_server: Any, start: Any) -> None:
    asked = anyio.Event()

    async def choose(turn: Turn) -> list[list[Any]]:
        if turn.match.id == "m1":
            await asked.wait()
        else:
            asked.set()
        return [["in", turn.match.id]]

    start(choose, concurrency=2)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.send(
        {"type": "match_start", "match": "m2", "seq": 0, "game": "packeis", "seat": 1,
         "players": [], "options": {}, "clock": {}, "state": {}},
        {"type": "turn", "match": "m2", "seq": 1, "turn": 1, "remaining_ms": 5000},
    )  # fmt: skip

    assert peer.receive() == {"type": "ready", "match": "m2"}
    assert {peer.receive()["match"], peer.receive()["match"]} == {"m1", "m2"}
    peer.send(GOODBYE)


class Follower(Bot):
    def __init__(self) -> None:
        self.told: list[str] = []

    async def match_start(self, match: Match) -> None:
        self.told.append(f"start {match.id}")

    async def turn(self, turn: Turn) -> list[list[Any]]:
        self.told.append(f"turn {turn.number}")
        await turn.legal_after([STEP])
        return [STEP]

    async def moved(self, _match: Match, moved: Moved) -> None:
        self.told.append(f"moved {moved.turn}")

    async def forfeited(self, _match: Match, forfeited: Forfeited) -> None:
        self.told.append(f"forfeited {forfeited.reason}")

    async def match_over(self, _match: Match, over: MatchOver) -> None:
        self.told.append(f"over {over.ranking}")


def test_events_during_a_question_are_handled_in_order_afterwards(
    scripted_server: Any, start: Any
) -> None:
    follower = Follower()
    bot = start(follower)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.receive()
    peer.send(
        {"type": "moved", "match": "m1", "seq": 2, "turn": 2, "seat": 0, "steps": [STEP],
         "elapsed_ms": 3, "remaining_ms": [None, None]},
        {"type": "legal", "match": "m1", "turn": 1, "legal": [], "turn_over": True},
    )  # fmt: skip
    peer.receive()
    peer.send(
        {"type": "forfeited", "match": "m1", "seq": 3, "seat": 0, "reason": "timeout",
         "detail": "x"},
        {"type": "match_over", "match": "m1", "seq": 4, "ranking": [2, 1], "scores": None,
         "reason": "forfeit"},
        GOODBYE,
    )  # fmt: skip
    bot.result(120)

    assert follower.told == ["start m1", "turn 1", "moved 2", "forfeited timeout", "over [2, 1]"]


@pytest.mark.parametrize(
    "end",
    [
        {"type": "error", "code": "malformed", "message": "no", "fatal": False, "match": "m1",
         "turn": 1},
        {"type": "match_over", "match": "m1", "seq": 2, "reason": "annulled"},
        {"type": "forfeited", "match": "m1", "seq": 2, "seat": 1, "reason": "timeout",
         "detail": "late"},
    ],
    ids=lambda message: message["type"],
)  # fmt: skip
def test_question_without_an_answer_leaves_the_turn_without_a_move(
    scripted_server: Any, start: Any, end: dict[str, Any]
) -> None:
    async def choose(turn: Turn) -> list[list[Any]]:
        return (await turn.legal_after([STEP])).steps

    bot = start(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()
    peer.receive()
    peer.send(end, {"type": "ping", "nonce": 1})

    assert peer.receive() == {"type": "pong", "nonce": 1}
    peer.send(GOODBYE)
    assert bot.result(120) is None


def test_lost_connection_is_taken_up_again(scripted_server: Any, start: Any) -> None:
    async def choose(turn: Turn) -> list[list[Any]]:
        return [["resumed", turn.match.resumed]]

    start(choose, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.socket.close()

    peer = scripted_server.accept()
    hello = peer.welcome(matches=["m1"])
    peer.send(RESUME)
    peer.ask(seq=5, turn=3)
    assert peer.receive()["steps"] == [["resumed", True]]
    assert hello.items() >= SECRET.items()
    peer.send(GOODBYE)


def test_missing_event_makes_the_bot_connect_again(scripted_server: Any, start: Any) -> None:
    start(play_step, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(seq=2)
    assert peer.ended()

    peer = scripted_server.accept()
    assert peer.welcome()["type"] == "hello"
    peer.send(GOODBYE)


def test_exception_in_the_bot_says_goodbye_and_leaves_run(scripted_server: Any, start: Any) -> None:
    async def choose(_turn: Turn) -> list[list[Any]]:
        raise ValueError("my mistake")

    bot = start(choose, **SECRET)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask()

    assert peer.receive() == {"type": "goodbye", "reason": "the bot ended by ValueError"}
    with pytest.raises(ValueError, match="my mistake"):
        bot.result(120)


def test_cancelled_bot_says_goodbye(scripted_server: Any, loop: str) -> None:
    async def run() -> None:
        with anyio.CancelScope() as scope:

            class Impatient(Bot):
                async def match_start(self, _match: Match) -> None:
                    scope.cancel()

            await aio.run(Impatient(), name="ada", port=scripted_server.port)

    bot = scripted_server._threads.submit(anyio.run, run, backend=loop)
    peer = scripted_server.accept()
    peer.welcome()
    peer.send({**RESUME, "type": "match_start", "seq": 0})

    assert peer.receive() == {"type": "ready", "match": "m1"}
    assert peer.receive() == {"type": "goodbye", "reason": "the bot was interrupted"}
    assert bot.result(120) is None


def test_fatal_error_leaves_run_with_its_code(scripted_server: Any, start: Any) -> None:
    bot = start(play_step, **SECRET)
    peer = scripted_server.accept()
    peer.receive()
    peer.send({"type": "error", "code": "unauthorized", "message": "no", "fatal": True})

    with pytest.raises(aio.ServerError, match="unauthorized: no"):
        bot.result(120)


def test_silent_server_is_left(scripted_server: Any, start: Any) -> None:
    bot = start(play_step, reconnect_seconds=0)
    peer = scripted_server.accept()
    peer.welcome(heartbeat_ms=10)

    with pytest.raises(aio.ConnectionLost, match="silent for three heartbeats"):
        bot.result(120)


def test_bot_plays_over_tls(scripted_server: Any, start: Any) -> None:
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    bot = start(play_step, tls=trusting)
    peer = scripted_server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))
    assert peer.welcome()["name"] == "ada"
    peer.send(GOODBYE)

    assert bot.result(120) is None


def test_self_signed_certificate_is_refused(scripted_server: Any, start: Any) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    bot = start(play_step, tls=True, reconnect_seconds=0)
    with pytest.raises(ssl.SSLError):
        scripted_server.accept_over(lambda sock: context.wrap_socket(sock, server_side=True))

    with pytest.raises(aio.ConnectionLost, match="CERTIFICATE_VERIFY_FAILED"):
        bot.result(120)


@pytest.mark.parametrize("game", ["packeis", "icecult"])
async def test_bot_of_the_readme_plays_whole_matches(game: str, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    readme = (toolchains.CLIENTS / "python" / "README.md").read_text()
    program.write_text(re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[1])
    options: dict[str, Any] = {"turn_limit": 20} if game == "icecult" else {}
    command = [sys.executable, str(program)]
    record = await matches.play({"one": command, "two": command}, game, **options)

    assert (record.reason, matches.forfeits(record)) == ("finished", [])


def test_seats_that_act_follow_the_events_that_are_told(scripted_server: Any, start: Any) -> None:
    told: list[tuple[str, list[int] | None]] = []

    class Observer(Bot):
        async def turn(self, turn: Turn) -> list[list[Any]]:
            return await play_step(turn)

        async def moved(self, match: Match, moved: Moved) -> None:
            told.append((f"concealed: {moved.concealed}", match.acting))

        async def forfeited(self, match: Match, forfeited: Forfeited) -> None:
            told.append((f"{forfeited.reason} in turn {forfeited.turn}", match.acting))

    bot = start(Observer())
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match(acting=[0, 1], view=True, joint=True)
    moved = {"seat": 0, "elapsed_ms": 3, "remaining_ms": [None, None], "acting": [0]}
    left = {"seat": 0, "reason": "resigned", "detail": "bob resigned", "acting": []}
    peer.send({"type": "moved", "match": "m1", "seq": 1, "turn": 1, **moved})
    peer.send({"type": "forfeited", "match": "m1", "seq": 2, "turn": 2, **left})
    peer.send(GOODBYE)
    bot.result(120)

    assert told == [("concealed: True", [0]), ("resigned in turn 2", [])]
