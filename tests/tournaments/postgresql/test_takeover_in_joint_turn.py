"""A standby server takes over while one of two answers of a joint turn is in."""

from __future__ import annotations

import signal
from contextlib import AsyncExitStack

import pytest
from tests.games.example_games import example_games, example_games_of_processes
from tests.postgresql import PostgreSQL
from tests.scripted import RawClient, connected, token
from tests.scripted.game_host import together
from tests.served import Serving, free_ports, serving, started

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store

__all__ = ["example_games", "example_games_of_processes"]

pytestmark = pytest.mark.usefixtures("example_games_of_processes")

WORDS = ("--game", "goofspiel", "--option", "cards=3", "--move", "60000")
NAMES = ("ann", "bob")


@pytest.fixture
def url(postgresql: PostgreSQL) -> DatabaseUrl:
    """A database in which the bots are registered."""
    address = postgresql.new()
    with Store.open(address, for_play=True) as store:
        for name in NAMES:
            store.bots.set_token(name, hash_token(token(name)))
    return address


async def connect(stack: AsyncExitStack, port: int) -> list[RawClient]:
    clients = []
    for name in NAMES:
        client = await stack.enter_async_context(connected("127.0.0.1", port))
        await client.hello(name=name, token=token(name), wants=["legal"])
        clients.append(client)
    return clients


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP])
async def test_match_is_played_again_and_the_answer_stays_unknown(
    polynya: list[str], url: DatabaseUrl, end: signal.Signals
) -> None:
    ports = free_ports(2)
    async with AsyncExitStack() as stack:
        first = stack.enter_context(serving(polynya, url, *WORDS, port=ports[0]))
        waiting = stack.enter_context(started(polynya, url, *WORDS, "--standby", port=ports[1]))
        before = await connect(stack, ports[0])
        turns = await together(*before)
        await before[0].move(turns[0], [turns[0]["legal"][0]])
        await before[0].send(type="ping", nonce="answered")
        await before[0].expect("pong")
        first.process.send_signal(end)
        second = Serving(waiting)
        after = await connect(stack, ports[1])
        overs = await together(*after, until="match_over")
        assert second.stop()[0] == 0
        first.process.kill()
        heard = await before[1].expect_end()
    assert [each for each in heard if each["type"] in ("moved", "forfeited", "match_over")] == []
    [interrupted] = before[0].of_type("match_start")
    [again] = after[0].of_type("match_start")
    assert interrupted["match"] != again["match"]
    assert interrupted["commitment"] != again["commitment"]
    with Store.open(url) as store:
        rows = {row.match: row.reason for row in store.matches.find()}
        games = {one.games for one in store.ratings.find()}
    assert (rows[interrupted["match"]], rows[overs[0]["match"]]) == ("aborted", "finished")
    assert [overs[0]["match"]] == [match for match, reason in rows.items() if reason == "finished"]
    assert games == {1}
    for words in (["ratings", "recompute", "--check"], ["replay", "verify", "--all"]):
        assert run([*words, "--database", url.secret]) == 0
