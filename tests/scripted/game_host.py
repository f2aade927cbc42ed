"""A server that plays all installed games, and clients that play along at the same time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import trio
from tests.scripted.race_host import RaceHost, token
from tests.scripted.raw_client import RawClient, Received

from polynya_games import load
from polynya_server.assembly import open_server
from polynya_server.records import MemoryJournal
from polynya_server.sessions.tokens import hash_token
from polynya_server.settings import ServerSettings


@asynccontextmanager
async def hosting(*names: str, **settings: Any) -> AsyncIterator[RaceHost]:
    """A server with all installed games and these bots."""
    journal = MemoryJournal()
    async with (
        open_server(ServerSettings(**settings), journal, load) as server,
        AsyncExitStack() as stack,
        trio.open_nursery() as nursery,
    ):
        for name in names:
            server.add_token(name, hash_token(token(name)))
        yield RaceHost(server, journal, nursery, stack)
        nursery.cancel_scope.cancel()


async def together(*clients: RawClient, until: str = "turn") -> list[Received]:
    """Let clients play along at the same time, each until such a message; these messages."""
    found: dict[RawClient, Received] = {}

    async def one(client: RawClient) -> None:
        found[client] = await client.expect(until)

    async with trio.open_nursery() as nursery:
        for client in clients:
            nursery.start_soon(one, client)
    return [found[client] for client in clients]
