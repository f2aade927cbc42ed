"""Connects to the server under test: sends anything, and checks every answer strictly."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import trio

from polynya_common.errors import RunError
from polynya_conformance.alternative_encodings import Writing, framed, plain
from polynya_protocol import RemoteProtocolError
from polynya_protocol.connection import client_side
from polynya_protocol.errors import printable
from polynya_protocol.messages import Error, FromServer, Hello, Message, Notice, Pong, Welcome

Wanted = TypeVar("Wanted", bound=Message)

PATIENCE_S = 5.0
NO_GAME = "polynya-check-plays-nothing"
"""The only game that the kit's players declare; it does not exist, so no server pairs them."""
_READ = 64 * 1024


class Unmet(Exception):  # noqa: N818 - the contract is not met, the check is
    """The server did not do what the protocol says; the message says what it did."""


class Skipped(Exception):  # noqa: N818 - nothing is wrong
    """This cannot be tried here; the message says why."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A registered bot.

    Attributes:
        name: its name.
        token: proves its name.
    """

    name: str
    token: str

    def hello(self, **more: Any) -> dict[str, Any]:
        """Its hello; ``more`` adds or replaces keys."""
        return _hello({"name": self.name, "token": self.token, "games": [NO_GAME], **more})


def _hello(more: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "hello", "protocol": 1, **more}


def spectator_hello(**more: Any) -> dict[str, Any]:
    """The hello of a spectator, who needs no name."""
    return _hello({"role": "spectator", **more})


class Client:
    """One connection to the server under test."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._session = client_side()
        self._unread: deque[FromServer] = deque()

    async def hello(self, hello: Mapping[str, Any], writing: Writing = plain) -> Welcome:
        """Send a valid hello, and receive the welcome.

        Raises:
            Unmet: the server refuses it.
        """
        self.begin()
        await self.send(hello, writing=writing)
        return await self.expect(Welcome)

    def begin(self) -> None:
        """Expect answers to a hello from now on, even if other bytes are sent as a hello."""
        self._session.send(Hello(protocol=1))

    async def send(self, *documents: Mapping[str, Any], writing: Writing = plain) -> None:
        """Send messages in one segment."""
        await self.send_bytes(b"".join(framed(writing(document)) for document in documents))

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are.

        Raises:
            Unmet: the server has broken the connection.
        """
        try:
            await self.stream.send_all(data)
        except trio.BrokenResourceError as error:
            raise Unmet("it broke the connection while it was sent something") from error

    async def receive(self, seconds: float = PATIENCE_S) -> FromServer:
        """Receive the next message, skipping notices: they are for authors, and come at any time.

        Raises:
            Unmet: none arrives in time, the connection ends, or the frame is invalid.
        """
        with trio.move_on_after(seconds):
            while not self._unread:
                data = await self._read()
                if not data:
                    raise Unmet("it closed the connection without a word")
                received = map(_good, self._session.receive_data(data))
                self._unread.extend(one for one in received if not isinstance(one, Notice))
            return self._unread.popleft()
        raise Unmet(f"it said nothing within {seconds:g} s")

    async def expect(self, kind: type[Wanted], seconds: float = PATIENCE_S) -> Wanted:
        """Receive the next message, which must be of this kind.

        Raises:
            Unmet: it is another.
        """
        message = await self.receive(seconds)
        if isinstance(message, kind):
            return message
        raise Unmet(f"{kind.__struct_config__.tag} was expected, {_shown(message)} came")

    async def expect_error(self, code: str, *, fatal: bool, seconds: float = PATIENCE_S) -> Error:
        """Receive the next message, which must be this error; a fatal one ends the connection.

        Raises:
            Unmet: it is another message, or the connection does not end.
        """
        error = await self.expect(Error, seconds)
        if (error.code, error.fatal) != (code, fatal):
            expected = f"{'a fatal' if fatal else 'an'} error {code}"
            raise Unmet(f"{expected} was expected, {_shown(error)} came")
        if fatal:
            await self.expect_end()
        return error

    async def expect_end(self) -> None:
        """Wait until the server closes the connection in order, without another message.

        Raises:
            Unmet: it does not, or it resets the connection.
        """
        if self._unread:
            raise Unmet(f"it said more after the end: {_shown(self._unread[0])}")
        with trio.move_on_after(PATIENCE_S):
            if await self._read():
                raise Unmet("it said more after the end")
            return
        raise Unmet(f"it did not close the connection within {PATIENCE_S:g} s")

    async def close(self) -> None:
        """Close the connection without a goodbye."""
        with trio.CancelScope(shield=True), contextlib.suppress(trio.BrokenResourceError):
            await self.stream.aclose()

    async def _read(self) -> bytes:
        try:
            return bytes(await self.stream.receive_some(_READ))
        except trio.BrokenResourceError as error:
            raise Unmet("it broke the connection (a reset, not an orderly end)") from error


def _good(item: FromServer | RemoteProtocolError) -> FromServer:
    if isinstance(item, RemoteProtocolError):
        raise Unmet(f"it sent a bad frame: {item.code}: {item.message}")
    return item


def _shown(message: Message) -> str:
    if isinstance(message, Error):
        fatal = "fatal " if message.fatal else ""
        return f"the {fatal}error {message.code} ({printable(message.message, 120)})"
    return str(message.__struct_config__.tag)


async def connect(host: str, port: int) -> Client:
    """Open a connection.

    Raises:
        RunError: no server listens there.
    """
    try:
        return Client(await trio.open_tcp_stream(host, port))
    except OSError as error:
        raise RunError(f"cannot connect to {host}, port {port}: {error}") from error


class Site:
    """The server under test.

    Attributes:
        identity: a bot that may join, or None.
    """

    def __init__(self, host: str, port: int, identity: Identity | None) -> None:
        self.identity = identity
        self._address = (host, port)
        self._clients: list[Client] = []

    async def connect(self) -> Client:
        """Open a connection, and send nothing yet."""
        client = await connect(*self._address)
        self._clients.append(client)
        return client

    async def spectator(self) -> Client:
        """Connect as a spectator, and receive the welcome."""
        client = await self.connect()
        await client.hello(spectator_hello())
        return client

    async def player(self) -> Client:
        """Connect as a player of a game that does not exist, and receive the welcome."""
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
    """One test of the server.

    Attributes:
        paragraph: the heading in docs/protocol.md that says what must happen.
        name: the test in a few words.
        play: runs it; raises Unmet or Skipped.
    """

    paragraph: str
    name: str
    play: Callable[[Site], Awaitable[None]]


async def expect_pong(client: Client, nonce: int | str) -> None:
    """Receive the next message, which must be the answer to a ping.

    Raises:
        Unmet: it is not.
    """
    pong = await client.expect(Pong)
    if (type(pong.nonce), pong.nonce) != (type(nonce), nonce):
        raise Unmet(f"the ping's nonce was {nonce!r}, the pong's {pong.nonce!r}")


async def still_answers(client: Client, more: Mapping[str, Any]) -> None:
    """Send a ping with ``more`` in it, and expect its answer.

    Raises:
        Unmet: it is not.
    """
    await client.send({"type": "ping", "nonce": 1, **more})
    await expect_pong(client, 1)
