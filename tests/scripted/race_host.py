"""A server that plays Race, with bots that can be let loose on it."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import trio
from tests.scripted.race import RACE
from tests.scripted.raw_client import RawClient, connected

from polynya_games import Game
from polynya_protocol.messages import Clock
from polynya_server.assembly import Mechanism, open_server
from polynya_server.match.seat import Participant
from polynya_server.records import MatchRecord, MatchSetup, MemoryJournal
from polynya_server.server import Server
from polynya_server.sessions.tokens import hash_token
from polynya_server.settings import ServerSettings

PATIENT = Clock(move_ms=60_000)
"""A clock that only a broken server lets run out."""


def token(name: str) -> str:
    """The token of a host's bot."""
    return f"{name}-0123456789abcdef"


class PlayedMatch:
    """A match that is played in the background."""

    def __init__(self, setup: MatchSetup, seats: Mapping[str, Participant]) -> None:
        self.setup = setup
        self._seats = seats
        self._done = trio.Event()
        self._record: MatchRecord | None = None

    async def play(self, server: Server) -> None:
        """Play it to its end."""
        self._record = await server.play(self.setup, self._seats)
        self._done.set()

    async def record(self) -> MatchRecord:
        """Its record, when it has ended."""
        await self._done.wait()
        assert self._record is not None  # it is done
        return self._record


class RaceHost:
    """A running server with registered bots.

    Attributes:
        server: the server.
        journal: its journal.
    """

    def __init__(
        self, server: Server, journal: MemoryJournal, nursery: trio.Nursery, stack: AsyncExitStack
    ) -> None:
        self.server = server
        self.journal = journal
        self._nursery = nursery
        self._stack = stack

    async def client(self) -> RawClient:
        """A new connection that has said nothing yet."""
        return await self.client_at(self.server.port)

    async def client_at(self, port: int) -> RawClient:
        """The same to another port of the server."""
        return await self._stack.enter_async_context(connected(self.server.host, port))

    async def bot(self, name: str, **hello: Any) -> RawClient:
        """A bot that is welcome."""
        client = await self.client()
        answer = await client.hello(**{"name": name, "token": token(name), **hello})
        assert answer["type"] == "welcome", answer
        return client

    async def good_bot(self, name: str, **hello: Any) -> RawClient:
        """A bot that plays along with everything, in the background."""
        client = await self.bot(name, **{"wants": ["legal"], **hello})
        client.patience_s = math.inf
        self._nursery.start_soon(client.expect_end)
        return client

    def match(
        self,
        match: str,
        *players: str,
        clock: Clock = PATIENT,
        goal: int = 6,
        seats: Mapping[str, Participant] | None = None,
    ) -> PlayedMatch:
        """A match that begins now, in the background; some players may have seats without a bot."""
        played = PlayedMatch(race_setup(match, *players, clock=clock, goal=goal), seats or {})
        self._nursery.start_soon(played.play, self.server)
        return played

    def in_background(self, run: Callable[..., Awaitable[object]], *arguments: Any) -> None:
        """Let something run beside the test."""
        self._nursery.start_soon(run, *arguments)

    async def good_match(self, match: str) -> PlayedMatch:
        """A long match of two bots that play along with everything."""
        names = f"{match}.first", f"{match}.second"
        for name in names:
            self.server.add_token(name, hash_token(token(name)))
            await self.good_bot(name)
        return self.match(match, *names, goal=300)


def race_setup(match: str, *players: str, clock: Clock = PATIENT, goal: int = 6) -> MatchSetup:
    """A match of Race that ends as soon as a player has ``goal`` points."""
    options = {"goal": goal}
    return MatchSetup(
        match=match, game="race", players=players, clock=clock, seed=0, options=options
    )


@asynccontextmanager
async def race_host(
    *names: str,
    journal: MemoryJournal | None = None,
    without: Collection[Mechanism] = (),
    game: Game = RACE,
    **settings: Any,
) -> AsyncIterator[RaceHost]:
    """A server with these bots registered, this journal, and these settings.

    ``without`` names mechanisms for speed to leave out; ``game`` takes the place of Race.
    """
    journal = journal or MemoryJournal()
    async with (
        open_server(
            ServerSettings(**settings), journal, {"race": game}.__getitem__, without
        ) as server,
        AsyncExitStack() as stack,
        trio.open_nursery() as nursery,
    ):
        for name in names:
            server.add_token(name, hash_token(token(name)))
        yield RaceHost(server, journal, nursery, stack)
        nursery.cancel_scope.cancel()
