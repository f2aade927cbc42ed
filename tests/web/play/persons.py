"""A person without a screen: what a browser does, by HTTP; and where he plays."""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import trio

from polynya_server import Server, ServerSettings, open_server
from polynya_store import Store, open_journal
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

PATIENCE_S = 120
Table = dict[str, Any]


@dataclass(frozen=True)
class House:
    """A game server with pages and a database.

    Attributes:
        address: of the pages, as ``http://HOST:PORT``.
        server: the game server.
        store: the database.
    """

    address: str
    server: Server
    store: Store


@asynccontextmanager
async def open_house(
    folder: Path, server_settings: dict[str, Any] | None = None, **settings: Any
) -> AsyncIterator[House]:
    """Everything that a person needs to play, as long as the block lasts."""
    web = WebSettings(**{"port": 0, **settings})
    with Store.open(folder / "polynya.sqlite", for_play=True) as store:
        async with (
            open_journal(store) as journal,
            open_server(ServerSettings(**(server_settings or {})), journal) as server,
            open_web(web, PageSources(store, server, journal)) as address,
        ):
            yield House(address, server, store)
            await server.stop(1_000)


class Browser:
    """A person's browser.

    Attributes:
        client: its connection to the pages, with its cookies.
        path: of the table that it sits at, ``/play/MATCH``.
    """

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client
        self.path = ""

    @property
    def match(self) -> str:
        """The id of its match."""
        return self.path.removeprefix("/play/")

    async def begin(self, **form: Any) -> httpx2.Response:
        """Send the form; a match that begins becomes this browser's."""
        fields = {"game": "packeis", "players": "2", "seat": "0", "opponent1": "builtin:random"}
        sent = {**fields, **{key.replace("__", "."): str(value) for key, value in form.items()}}
        answer = await self.client.post("/play", data=sent)
        if answer.status_code == 303:
            self.path = answer.headers["location"]
        return answer

    @asynccontextmanager
    async def tables(self) -> AsyncIterator[AsyncIterator[Table]]:
        """What the open page is told, one table after the other, over a connection of its own."""
        address = self.client.base_url
        cookies = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        host = address.netloc.decode("ascii")
        request = f"GET {self.path}/events HTTP/1.1\r\nhost: {host}\r\ncookie: {cookies}\r\n\r\n"
        stream = await trio.open_tcp_stream(address.host, address.port or 80)
        with trio.fail_after(PATIENCE_S):  # signs of life would come for ever
            async with stream, aclosing(_tables(stream)) as tables:
                await stream.send_all(request.encode("ascii"))
                yield tables

    async def post(self, what: str, body: Any = None) -> httpx2.Response:
        """A request of the page."""
        return await self.client.post(f"{self.path}/{what}", json=body)

    async def play_turn(self, asked: dict[str, Any], dice: random.Random) -> None:
        """Compose the turn that is asked for by chance, and play it."""
        steps, legal, is_over = [], asked["legal"], False
        while not is_over:
            steps.append(dice.choice(legal))
            answer = await self.post("compose", {"turn": asked["turn"], "steps": steps})
            assert answer.status_code == 200, answer.text
            composed = answer.json()
            legal, is_over = composed["legal"], composed["turn_over"]
        answer = await self.post("move", {"turn": asked["turn"], "steps": steps})
        assert answer.status_code == 204, answer.text

    async def play_on(self, seed: int = 1) -> Table:
        """Play by chance until the match is over; the last table."""
        dice, played = random.Random(seed), 0
        table: Table = {}
        async with self.tables() as tables:
            async for table in tables:
                asked = table["asked"]
                if asked is not None and asked["turn"] > played:
                    played = asked["turn"]
                    await self.play_turn(asked, dice)
        return table

    async def until(self, phase: str) -> Table:
        """The first table in this phase."""
        async with self.tables() as tables:
            async for table in tables:
                if table["phase"] == phase:
                    return table
        raise AssertionError(f"the match never came to be {phase}")


async def _tables(stream: trio.SocketStream) -> AsyncGenerator[Table]:
    rest = b""
    while True:
        data = await stream.receive_some(65_536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            if line == b"0\r":  # the last chunk of the answer
                return
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


@asynccontextmanager
async def browser(house: House, **headers: str) -> AsyncIterator[Browser]:
    """A new browser, without cookies."""
    async with httpx2.AsyncClient(
        base_url=house.address, timeout=PATIENCE_S, headers=headers
    ) as client:
        yield Browser(client)


async def ended(house: House) -> None:
    """Return when no match is in play any more, and no guest is left at the server."""
    with trio.fail_after(PATIENCE_S):
        version = house.server.version
        while house.server.in_play or len(house.server.guests):
            version = await house.server.changed(version)


def sentence_of(page: str) -> str:
    """What the page says above the form."""
    found = re.search(r'<p class="notice bad" role="alert">(.*?)</p>', page, re.S)
    return "" if found is None else found[1]
