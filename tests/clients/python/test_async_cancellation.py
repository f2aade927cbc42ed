"""An asynchronous bot's searches end in time, and the opponents' time can be used."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import anyio
import pytest

from polynya_client import aio
from polynya_client.aio import Bot, Match, Turn

GOODBYE = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]


@pytest.fixture(params=["asyncio", "trio"])
def start(request: pytest.FixtureRequest, scripted_server: Any) -> Callable[[Any], Future[None]]:
    """Runs a bot in a thread with an event loop of its own."""

    def run(bot: Any) -> Future[None]:
        async def main() -> None:
            with anyio.fail_after(120):
                await aio.run(bot, name="ada", port=scripted_server.port)

        backend: str = request.param
        future: Future[None] = scripted_server._threads.submit(anyio.run, main, backend=backend)
        return future

    return run


@pytest.mark.parametrize(
    ("remaining_ms", "why"), [(60_000, "it ended by match_over or goodbye"), (20, "its time is")]
)
def test_a_turn_is_cancelled_when_its_match_or_its_time_is_over(
    scripted_server: Any,
    start: Any,
    caplog: pytest.LogCaptureFixture,
    remaining_ms: int,
    why: str,
) -> None:
    turns: list[Turn] = []

    async def choose(turn: Turn) -> list[list[Any]]:
        turns.append(turn)
        await anyio.sleep_forever()
        return [STEP]

    bot = start(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    peer.ask(remaining_ms=remaining_ms)
    while remaining_ms == 20 and not caplog.records:
        peer.send({"type": "ping", "nonce": 1})
        assert peer.receive() == {"type": "pong", "nonce": 1}
    peer.send({"type": "match_over", "match": "m1", "seq": 2, "reason": "finished"}, GOODBYE)
    bot.result(120)

    assert f"no move for turn 1 of match m1: {why}" in caplog.records[0].getMessage()
    assert turns[0].cancelled.is_set()


def test_a_bot_thinks_on_the_opponents_time_until_it_is_asked(
    scripted_server: Any, start: Any
) -> None:
    told: list[str] = []

    class Pondering(Bot):
        async def turn(self, _turn: Turn) -> list[list[Any]]:
            told.append("turn")
            return [STEP]

        async def ponder(self, _match: Match) -> None:
            told.append("ponder")
            try:
                await anyio.sleep_forever()
            finally:
                told.append("enough")

    bot = start(Pondering())
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    while not told:
        peer.send({"type": "ping", "nonce": 1})
        assert peer.receive() == {"type": "pong", "nonce": 1}
    peer.ask()
    assert peer.receive()["steps"] == [STEP]
    peer.send(GOODBYE)
    bot.result(120)

    assert told[:3] == ["ponder", "enough", "turn"]
