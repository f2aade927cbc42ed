"""A game server with a database, whose bots move when a test says so."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import h11
import httpx2
import trio
from tests.scripted import RawClient, connected, token

from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock
from polynya_server import MatchRecord, MatchSetup, Server, ServerSettings, hash_token, open_server
from polynya_store import Attempt, Store, StoreJournal, open_journal

CLOCK = Clock(initial_ms=600_000, move_ms=300_000)
PATIENCE_S = 60


def called(match: str) -> str:
    """What pages call a match of two: its bots."""
    return f"{match}.0 \N{EN DASH} {match}.1"


class Table:
    """A match in play, with a client at each seat.

    Attributes:
        over: set when it has ended.
    """

    def __init__(self, setup: MatchSetup, bots: list[RawClient]) -> None:
        self.setup = setup
        self.over = trio.Event()
        self.record: MatchRecord | None = None
        self._bots = bots
        self._turns: list[dict[str, Any] | None] = [None] * len(bots)

    async def run(self, server: Server) -> None:
        """Play it."""
        self.record = await server.play(self.setup)
        self.over.set()

    async def ready(self) -> None:
        """Let all bots say that they are ready."""
        for bot in self._bots:
            await bot.answer(await bot.expect("match_start"))

    async def move(
        self,
        seat: int = 0,
        info: dict[str, Any] | None = None,
        step: list[Any] | None = None,
    ) -> None:
        """Let a bot make its next turn: the first legal step, or the one given."""
        await self.asked(seat)
        bot, turn = self._bots[seat], self._turns[seat]
        self._turns[seat] = None
        assert turn is not None
        keys = {} if info is None else {"info": info}
        await bot.move(turn, [step or turn["legal"][0]], **keys)

    async def asked(self, seat: int) -> None:
        """Wait until a bot is asked for its next turn: all that came before has happened."""
        if self._turns[seat] is None:
            self._turns[seat] = await self._bots[seat].expect("turn")

    async def resign(self, seat: int) -> None:
        """Let a bot give up."""
        await self._bots[seat].send(type="resign", match=self.setup.match)


class Host:
    """A game server with its database."""

    def __init__(self, server: Server, journal: StoreJournal, nursery: trio.Nursery) -> None:
        self.server = server
        self.store: Store = journal.store
        self.journal = journal
        self._nursery = nursery
        self._stack = AsyncExitStack()

    async def table(
        self, match: str, game: str = "packeis", players: int = 2, **terms: Any
    ) -> Table:
        """A match whose bots are connected and ready; named after it and their seats."""
        names = tuple(f"{match}.{seat}" for seat in range(players))
        bots = [await self._bot(name, game) for name in names]
        setup = MatchSetup(match=match, game=game, players=names, clock=CLOCK, seed=7, **terms)
        table = Table(await self.journal.begin(Attempt(setup, RatingSettings())), bots)
        self._nursery.start_soon(table.run, self.server)
        await table.ready()
        return table

    async def _bot(self, name: str, game: str) -> RawClient:
        self.server.add_token(name, hash_token(token(name)))
        self.store.bots.set_token(name, hash_token(token(name)))
        bot = await self._stack.enter_async_context(connected(self.server.host, self.server.port))
        hello = {"name": name, "token": token(name), "wants": ["legal"], "games": [game]}
        assert (await bot.hello(**hello))["type"] == "welcome"
        return bot

    async def close(self) -> None:
        """Close the bots' connections."""
        await self._stack.aclose()


@asynccontextmanager
async def open_host(folder: Path, **settings: Any) -> AsyncIterator[Host]:
    """A game server that plays into a new database in ``folder``."""
    with Store.open(folder / "host.sqlite", for_play=True) as store:
        async with (
            open_journal(store) as journal,
            open_server(ServerSettings(**settings), journal) as server,
            trio.open_nursery() as nursery,
        ):
            host = Host(server, journal, nursery)
            try:
                yield host
            finally:
                nursery.cancel_scope.cancel()
                with trio.CancelScope(shield=True, deadline=trio.current_time() + PATIENCE_S):
                    await host.close()


class Events:
    """The events that one viewer is sent, read from a socket of its own."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._http = h11.Connection(h11.CLIENT)
        self._text = b""

    async def ask(self, client: httpx2.AsyncClient, path: str) -> None:
        """Ask for events."""
        target = client.base_url.raw_path.rstrip(b"/") + path.encode()
        request = h11.Request(method="GET", target=target, headers=[("host", "localhost")])
        await self.stream.send_all(self._http.send(request) + self._http.send(h11.EndOfMessage()))
        answer = await self._receive()
        assert isinstance(answer, h11.Response)
        assert (answer.status_code, dict(answer.headers)[b"content-type"]) == (
            200,
            b"text/event-stream; charset=utf-8",
        )

    async def next(self) -> tuple[str, Any]:
        """The next event, its name and its data; an empty name at the end."""
        while True:
            text, found, rest = self._text.partition(b"\n\n")
            if not found:
                data = await self._receive()
                if not isinstance(data, h11.Data):
                    return "", None
                self._text += data.data
                continue
            self._text = rest
            if text != b":":
                name, document, *_ = text.split(b"\n")
                return name.removeprefix(b"event: ").decode(), json.loads(document[6:])

    async def until(self, name: str) -> Any:
        """The data of the next event of this name."""
        with trio.fail_after(PATIENCE_S):  # signs of life would come for ever
            while True:
                found, data = await self.next()
                assert found, f"the events ended before {name}"
                if found == name:
                    return data

    async def _receive(self) -> object:
        with trio.fail_after(PATIENCE_S):
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(await self.stream.receive_some())
        return event


@asynccontextmanager
async def followed(client: httpx2.AsyncClient, path: str) -> AsyncIterator[Events]:
    """The events at an address of the pages that ``client`` is connected to."""
    url = client.base_url
    async with await trio.open_tcp_stream(url.host, url.port or 80) as stream:
        events = Events(stream)
        await events.ask(client, path)
        yield events
