"""Asks a website for all that it shows to strangers: linked pages, its whole API, its streams."""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import product
from urllib.parse import urljoin, urlsplit

import httpx2
import trio

OK = 200
PREFIX = "/api/v1"
MOST_ANSWERS = 1_000
PATIENCE_S = 60
STREAM_S = 0.2
"""How long the crawler reads an answer that has no end."""

START = (
    "/",
    "/live",
    "/wall",
    "/tv",
    "/matches",
    "/bots",
    "/ladder",
    "/tournaments",
    "/robots.txt",
)
_LOOKS = re.compile(r"(?:theme|lang)=")
_FIXED = ("/static/", "/documents/", "/connect", "/rules", "/api/v1/openapi.json")
_LINK = re.compile(r"""["'](/[^"'#\s]+)["'#]|href=["']([^"'#\s]+)""")
_PARAMETER = re.compile(r"\{(\w+)\}")


class Website:
    """A website, and what it has answered.

    Attributes:
        answers: the text of each answer by its address; of a picture its bytes as text.
        statuses: the status of each.
    """

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.answers: dict[str, str] = {}
        self.statuses: dict[str, int] = {}
        self._client = client

    async def crawl(self, first: Sequence[str], values: dict[str, Sequence[str]]) -> None:
        """Ask for these addresses, the API's, and all that their answers link to.

        Args:
            first: addresses, beside those of the main pages.
            values: of the parameters of the API's addresses, by name.
        """
        self.answers.clear()
        document = (await self._client.get("/api/v1/openapi.json")).json()
        queue = deque([*START, *first, *_api(document, values)])
        while queue and len(self.answers) < MOST_ANSWERS:
            address = queue.popleft()
            if address not in self.answers:
                text = await self._ask(address)
                self.answers[address] = text
                queue.extend(_links(address, text) if self.statuses[address] == OK else ())

    async def _ask(self, address: str) -> str:
        taken = bytearray()
        with trio.fail_after(PATIENCE_S):
            async with self._client.stream("GET", address) as answer:
                self.statuses[address] = answer.status_code
                endless = answer.headers.get("content-type", "").startswith("text/event-stream")
                with trio.move_on_after(STREAM_S if endless else PATIENCE_S):
                    async for part in answer.aiter_bytes():
                        taken += part
        return html.unescape(taken.decode("utf-8", "backslashreplace"))

    @asynccontextmanager
    async def followed(self, *addresses: str) -> AsyncIterator[dict[str, bytearray]]:
        """Follow streams of events, from before the block to its end; their bytes by address."""
        streams = {address: bytearray() for address in addresses}
        async with trio.open_nursery() as nursery:
            for address, taken in streams.items():
                await nursery.start(self._follow, address, taken)
            yield streams
            nursery.cancel_scope.cancel()

    async def _follow(
        self,
        address: str,
        taken: bytearray,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        async with self._client.stream("GET", address, timeout=None) as answer:
            task_status.started()
            with suppress(httpx2.RemoteProtocolError):  # the server may be killed
                async for part in answer.aiter_bytes():
                    taken += part


def _api(document: dict[str, dict[str, object]], values: dict[str, Sequence[str]]) -> Iterator[str]:
    """The addresses of the API that are read with GET, with each value of their parameters."""
    for path, methods in document["paths"].items():
        names = _PARAMETER.findall(path)
        if isinstance(methods, dict) and "get" in methods and all(name in values for name in names):
            for chosen in product(*(values[name] for name in names)):
                yield PREFIX + path.format(**dict(zip(names, chosen, strict=True)))


def _links(address: str, text: str) -> Iterator[str]:
    """The addresses on the same site that a page links to, but for files that never change."""
    for found in _LINK.findall(text):
        url = urlsplit(urljoin(f"http://site{address}", max(found)))
        is_fixed = url.path.startswith(_FIXED) or _LOOKS.search(url.query)
        if url.netloc == "site" and not is_fixed:
            yield url.path + (f"?{url.query}" if url.query else "")
