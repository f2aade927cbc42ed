"""A server is killed, or a bot stopped, in the middle of a joint turn of the ladder."""

from __future__ import annotations

import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.games.example_games import example_games, example_games_of_processes
from tests.scripted import RawClient, connected, token
from tests.scripted.game_host import together
from tests.scripted.raw_client import Received
from tests.served import bot, free_ports, serving

from polynya_app.application import run
from polynya_server.records import TurnRecord, decode_replay
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store

__all__ = ["example_games", "example_games_of_processes"]

pytestmark = pytest.mark.usefixtures("example_games_of_processes")

GAME = ("--game", "goofspiel", "--option", "cards=3")
UNHURRIED = ("--move", "60000")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database in which the bots are registered."""
    path = tmp_path / "ladder.sqlite"
    with Store.open(path, for_play=True) as store:
        for name in ("ann", "bob", "cid"):
            store.bots.set_token(name, hash_token(token(name)))
    return path


async def connect(stack: AsyncExitStack, port: int, *names: str) -> list[RawClient]:
    """Connections of these bots, welcome."""
    clients = []
    for name in names:
        client = await stack.enter_async_context(connected("127.0.0.1", port))
        await client.hello(name=name, token=token(name), wants=["legal"])
        clients.append(client)
    return clients


async def answer(client: RawClient, turn: Received) -> None:
    """Answer a turn with the first legal step, and return when the server has the answer."""
    await client.move(turn, [turn["legal"][0]])
    await client.send(type="ping", nonce="answered")
    await client.expect("pong")


def is_in_order(database: Path) -> bool:
    words = (["ratings", "recompute", "--check"], ["replay", "verify", "--all"])
    return [run([*each, "--database", str(database)]) for each in words] == [0, 0]


async def test_an_answer_before_the_server_is_killed_is_neither_told_nor_counted(
    polynya: list[str], database: Path
) -> None:
    [port] = free_ports(1)
    async with AsyncExitStack() as stack:
        with serving(polynya, database, *GAME, *UNHURRIED, port=port) as server:
            before = await connect(stack, port, "ann", "bob")
            turns = await together(*before)
            await answer(before[0], turns[0])
            server.process.kill()
            heard = await before[1].expect_end()
        assert [each for each in heard if each["type"] != "ping"] == []
        with serving(polynya, database, *GAME, *UNHURRIED, port=port) as server:
            after = await connect(stack, port, "ann", "bob")
            await together(*after, until="match_over")
            assert server.stop()[0] == 0
    welcome = [each.received[0]["matches"] for each in after]
    starts = [each.of_type("match_start")[0] for each in (before[0], after[0])]
    assert welcome == [[], []]
    assert starts[0]["match"] != starts[1]["match"]
    assert starts[0]["commitment"] != starts[1]["commitment"]
    with Store.open(database) as store:
        interrupted = store.matches.get(starts[0]["match"])
        again = store.matches.get(starts[1]["match"])
        events = decode_replay(store.matches.replay(starts[1]["match"])).events
        assert {one.games for one in store.ratings.find()} == {1}
    assert (interrupted.reason, again.reason) == ("aborted", "finished")
    assert len([event for event in events if isinstance(event, TurnRecord)]) == 4
    assert is_in_order(database)


async def test_a_stopped_bot_leaves_in_its_turn_and_the_others_play_on(
    polynya: list[str], database: Path
) -> None:
    short = ("--move", "1500", "--players", "3")
    async with AsyncExitStack() as stack:
        server = stack.enter_context(serving(polynya, database, *GAME, *short))
        stopped = stack.enter_context(bot(server.port, "cid", POLYNYA_TOKEN=token("cid")))
        clients = await connect(stack, server.port, "ann", "bob")
        turns = await together(*clients)
        os.kill(stopped.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED)
        for client, turn in zip(clients, turns, strict=True):
            await client.move(turn, [turn["legal"][0]])
        ends = await together(*clients, until="forfeited")
        await together(*clients, until="match_over")
        os.kill(stopped.pid, signal.SIGCONT)
    [start] = clients[0].of_type("match_start")
    [cid] = [each["seat"] for each in start["players"] if each["name"] == "cid"]
    assert [(cid, "timeout", "it did not answer in time")] * 2 == [
        (end["seat"], end["reason"], end["detail"]) for end in ends
    ]
    assert is_in_order(database)
