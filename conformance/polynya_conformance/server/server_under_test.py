"""A server under test, and what a case that is tried on it looks like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from polynya_conformance.server.probe import (
    Client,
    Identity,
    Skipped,
    Unmet,
    connect,
    spectator_hello,
)
from polynya_protocol.messages import Pong


class Site:
    """The server under test.

    Attributes:
        identity: a bot that may join it, None if there is none.
    """

    def __init__(self, host: str, port: int, identity: Identity | None) -> None:
        self.identity = identity
        self._address = (host, port)
        self._clients: list[Client] = []

    async def connect(self) -> Client:
        """A connection that has said nothing yet."""
        client = await connect(*self._address)
        self._clients.append(client)
        return client

    async def spectator(self) -> Client:
        """A spectator who is welcome."""
        client = await self.connect()
        await client.hello(spectator_hello())
        return client

    async def player(self) -> Client:
        """A player who is welcome, and asks for no game that there is."""
        client = await self.connect()
        await client.hello(self.need_identity().hello())
        return client

    def need_identity(self) -> Identity:
        """The bot that may join.

        Raises:
            Skipped: there is none.
        """
        if self.identity is None:
            raise Skipped("needs a registered name: give --name and --token")
        return self.identity

    async def hang_up(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.close()
        self._clients.clear()


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is tried.

    Attributes:
        paragraph: the heading in docs/protocol.md that says what must happen.
        name: what is tried, in a few words.
        play: tries it; raises Unmet or Skipped.
    """

    paragraph: str
    name: str
    play: Callable[[Site], Awaitable[None]]


async def expect_pong(client: Client, nonce: int | str) -> None:
    """The next message is the answer to a ping.

    Raises:
        Unmet: it is not.
    """
    pong = await client.expect(Pong)
    if (type(pong.nonce), pong.nonce) != (type(nonce), nonce):
        raise Unmet(f"the ping's nonce was {nonce!r}, the pong's {pong.nonce!r}")


async def still_answers(client: Client, more: Mapping[str, Any]) -> None:
    """A ping with ``more`` in it is answered.

    Raises:
        Unmet: it is not.
    """
    await client.send({"type": "ping", "nonce": 1, **more})
    await expect_pong(client, 1)
