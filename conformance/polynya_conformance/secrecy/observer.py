"""One client of a match, a player or a spectator: keeps the bytes of each frame it receives."""

from __future__ import annotations

from typing import Any

import msgspec
import trio

from polynya_common.errors import RunError
from polynya_conformance.alternative_encodings import Document, framed, plain
from polynya_protocol import RemoteProtocolError
from polynya_protocol.framing import MAX_FRAME_FROM_SERVER, Deframer

NOT_COMPARED = frozenset({"welcome", "ping", "pong", "goodbye", "match_over"})
"""Frames that are not about the position: of the connection, and the end, which reveals all."""

_READ = 64 * 1024


class Observer:
    """A client of the server on a connection of its own.

    Attributes:
        heard: the frames about the match, each with the number of the action that it follows.
    """

    def __init__(self, hello: Document) -> None:
        self.heard: list[tuple[int, bytes]] = []
        self._hello = {"type": "hello", "protocol": 1, **hello}
        self._stream: trio.SocketStream | None = None
        self._deframer = Deframer(MAX_FRAME_FROM_SERVER)

    async def connect(self, host: str, port: int, action: int) -> None:
        """Connect, also for a second time, and receive the welcome."""
        older, self._stream = self._stream, await trio.open_tcp_stream(host, port)
        self._deframer = Deframer(MAX_FRAME_FROM_SERVER)
        await self.send(self._hello)
        await self.expect("welcome", action)
        if older is not None:
            await older.aclose()

    async def close(self) -> None:
        """Close the connection, if there is one."""
        if self._stream is not None:
            await self._stream.aclose()

    async def send(self, message: Document) -> None:
        """Send one message of any form."""
        if self._stream is not None:
            await self._stream.send_all(framed(plain(message)))

    async def leave(self) -> None:
        """Say goodbye, and wait until the server has closed the connection."""
        await self.send({"type": "goodbye"})
        stream, self._stream = self._stream, None
        if stream is not None:
            while await stream.receive_some(_READ):
                pass
            await stream.aclose()

    async def ping(self, action: int) -> None:
        """Ping; the pong comes behind all that the server has sent before."""
        await self.send({"type": "ping", "nonce": action})

    async def expect(self, kind: str, action: int) -> None:
        """Receive frames, as of this action, up to the first one of a kind."""
        stream = self._stream
        if stream is None:
            return
        while True:
            data = await stream.receive_some(_READ)
            if not data:
                raise RunError(f"the server has closed the connection of {self._name}")
            if kind in [self._take(each, action) for each in self._deframer.receive(bytes(data))]:
                return

    @property
    def _name(self) -> str:
        return str(self._hello.get("name", "the spectator"))

    def _take(self, payload: bytes | RemoteProtocolError, action: int) -> str:
        if isinstance(payload, RemoteProtocolError):
            raise payload
        kind = str(decoded(payload)["type"])
        if kind not in NOT_COMPARED:
            self.heard.append((action, payload))
        return kind


def decoded(payload: bytes) -> dict[str, Any]:
    """The message in a payload, as plain values."""
    message: dict[str, Any] = msgspec.msgpack.decode(payload)
    return message
