"""A client that is only a socket and the ``msgpack`` package: it can send what no SDK would.

It shares no code with the server, so the two hold each other to the bytes of the contract.
"""

from __future__ import annotations

import os
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgpack  # type: ignore[import-untyped]
import trio

FIRST_OF_RACE = [["add", 1]]
"""The turn of a bot that did not ask for the legal steps."""

Received = dict[str, Any]


def frame(message: Mapping[str, Any]) -> bytes:
    """The message as a frame."""
    payload: bytes = msgpack.packb(message)
    return struct.pack(">I", len(payload)) + payload


class RawClient:
    """One connection to a server.

    Attributes:
        stream: the connection, for tests that misuse it.
        received: every message that came, in order.
        patience_s: how long a message may take to come before the test fails.
    """

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.received: list[Received] = []
        self.patience_s = 60.0
        self._buffer = b""

    async def send(self, **message: Any) -> None:
        """Send one message."""
        await self.send_bytes(frame(message))

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        await self.stream.send_all(data)

    def send_at_once(self, data: bytes) -> None:
        """Send bytes before any other task runs."""
        sent = os.write(self.stream.socket.fileno(), data)
        assert sent == len(data)  # the buffers are larger

    async def hello(self, **keys: Any) -> Received:
        """Say hello, as protocol 1 unless told otherwise, and return the answer."""
        await self.send(**{"type": "hello", "protocol": 1, **keys})
        return await self.receive()

    async def receive(self) -> Received:
        """The next message.

        Raises:
            EOFError: the server has closed the connection.
        """
        while len(self._buffer) < 4 or len(self._buffer) < 4 + self._size():
            await self._read()
        end = 4 + self._size()
        message: Received = msgpack.unpackb(self._buffer[4:end])
        self._buffer = self._buffer[end:]
        self.received.append(message)
        return message

    async def expect(self, *types: str) -> Received:
        """The next message of one of these types, playing along until it comes."""
        while True:
            message = await self.receive()
            if message["type"] in types:
                return message
            await self.answer(message)

    async def expect_end(self) -> list[Received]:
        """The messages until the server closes the connection, playing along."""
        before = len(self.received)
        while True:
            try:
                await self.answer(await self.receive())
            except (EOFError, trio.BrokenResourceError):
                return self.received[before:]

    async def answer(self, message: Received) -> None:
        """Play along with anything: ready at once, and the first legal step of every turn."""
        match message["type"]:
            case "match_start":
                await self.send(type="ready", match=message["match"])
            case "turn":
                await self.move(message, [message.get("legal", FIRST_OF_RACE)[0]])
            case "ping":
                await self.send(type="pong", nonce=message["nonce"])

    async def move(self, turn: Received, steps: Any, /, **keys: Any) -> None:
        """Answer a ``turn``."""
        move = {"type": "move", "match": turn["match"], "turn": turn["turn"], "steps": steps}
        await self.send(**{**move, **keys})

    def of_type(self, *types: str) -> list[Received]:
        """All messages of these types that came so far."""
        return [message for message in self.received if message["type"] in types]

    def _size(self) -> int:
        return int.from_bytes(self._buffer[:4])

    async def _read(self) -> None:
        with trio.fail_after(self.patience_s):
            data = await self.stream.receive_some()
        if not data:
            raise EOFError
        self._buffer += data


@asynccontextmanager
async def connected(host: str, port: int) -> AsyncIterator[RawClient]:
    """A client whose connection is closed without a word at the end of the block."""
    async with await trio.open_tcp_stream(host, port) as stream:
        yield RawClient(stream)
