"""One TCP (or TLS) connection in an event loop: messages out in order, messages in."""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Mapping
from typing import Any

import anyio
from anyio.abc import ByteStream, SocketStream
from anyio.streams.tls import TLSStream

from polynya_client.addresses import Address
from polynya_client.codec import DEFAULT_MAX_FRAME, FrameBuffer, Message, decode, encode
from polynya_client.errors import ConnectionLost
from polynya_client.framelog import FrameLog

_CHUNK = 64 * 1024
_LEAVE_SECONDS = 1.0
_BROKEN = (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError)


class Connection:
    """A connected stream that speaks frames; what is sent waits in a queue for ``write``.

    Attributes:
        max_frame: the largest frame that the server takes, in bytes.
        patience: how long the server may be silent, or refuse to read, in seconds.
        arrived: when the last message was read, on ``time.monotonic()``.
    """

    def __init__(self, stream: ByteStream, patience: float, log: FrameLog | None = None) -> None:
        self.max_frame = DEFAULT_MAX_FRAME
        self.patience = patience
        self.arrived = time.monotonic()
        self._stream = stream
        self._log = log
        self._buffer = FrameBuffer()
        self._frames, self._unsent = anyio.create_memory_object_stream[bytes](math.inf)

    def send(self, message: Mapping[str, Any]) -> None:
        """Put one message into the queue; nothing after ``leave``.

        Raises:
            BadFrame: it is too large for the server, or cannot be encoded.
        """
        frame = encode(message, self.max_frame)
        try:
            self._frames.send_nowait(frame)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return
        if self._log:
            self._log.write("sent", message)

    async def write(self) -> None:
        """Send what is in the queue, until it is closed and empty.

        Raises:
            ConnectionLost: the connection broke, or the server does not read.
        """
        async for frame in self._unsent:
            try:
                with anyio.fail_after(self.patience):
                    await self._stream.send(frame)
            except _BROKEN as error:  # a TimeoutError is an OSError
                raise ConnectionLost(f"the connection broke while sending: {error}") from error

    async def receive(self) -> Message:
        """Wait for the next message.

        Raises:
            BadFrame: what came is no frame of the protocol.
            ConnectionLost: the connection broke or was closed, or the server was silent too long.
        """
        while (payload := self._buffer.take()) is None:
            self._buffer.add(await self._read())
            self.arrived = time.monotonic()
        message = decode(payload)
        if self._log:
            self._log.write("received", message)
        return message

    async def _read(self) -> bytes:
        try:
            with anyio.fail_after(self.patience):
                return await self._stream.receive(_CHUNK)
        except TimeoutError as error:
            raise ConnectionLost("the server was silent for three heartbeats") from error
        except anyio.EndOfStream as error:
            raise ConnectionLost("the server closed the connection without a goodbye") from error
        except _BROKEN as error:
            raise ConnectionLost(f"the connection broke while receiving: {error}") from error

    async def leave(self, reason: str) -> None:
        """Say goodbye after all that is in the queue, if the connection still carries it."""
        self.send({"type": "goodbye", "reason": reason})
        self._frames.close()
        with anyio.move_on_after(_LEAVE_SECONDS, shield=True):
            try:
                await self.write()
            except ConnectionLost:
                return

    async def close(self) -> None:
        """Close the stream, without a word."""
        self._frames.close()
        self._unsent.close()
        await anyio.aclose_forcefully(self._stream)


async def connect(
    address: Address,
    patience: float,
    tls: ssl.SSLContext | None = None,
    log: FrameLog | None = None,
) -> Connection:
    """A new connection; ``patience`` in seconds holds for making it, and at first for reading.

    Raises:
        ConnectionLost: no server listens there, or the certificate is not good.
    """
    try:
        with anyio.fail_after(patience):
            stream = await anyio.connect_tcp(*address)
            secured = stream if tls is None else await _secured(stream, tls, address.host)
            return Connection(secured, patience, log)
    except (*_BROKEN, anyio.EndOfStream) as error:
        why = error.__cause__ or error
        if isinstance(why, BaseExceptionGroup):  # an attempt for each address of the name
            why = why.exceptions[0]
        raise ConnectionLost(f"cannot connect to {address}: {why}") from error


async def _secured(stream: SocketStream, tls: ssl.SSLContext, host: str) -> ByteStream:
    try:
        return await TLSStream.wrap(stream, hostname=host, ssl_context=tls)
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise
