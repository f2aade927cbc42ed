"""One TCP (or TLS) connection on trio: messages out in order, messages in."""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Mapping
from typing import Any

import trio

from polynya_client.addresses import Address
from polynya_client.codec import DEFAULT_MAX_FRAME, FrameBuffer, Message, decode, encode
from polynya_client.errors import ConnectionLost
from polynya_client.framelog import FrameLog

_CHUNK = 64 * 1024
_CONNECT_SECONDS = 10.0
_LEAVE_SECONDS = 1.0


class Connection:
    """A connected stream that speaks frames; what is sent waits in a queue for ``write``.

    Attributes:
        max_frame: the largest frame that the server takes, in bytes.
        patience: how long the server may be silent, or refuse to read, in seconds.
        arrived: when the last message was read, on ``time.monotonic()``.
    """

    def __init__(self, stream: trio.abc.Stream, log: FrameLog | None = None) -> None:
        self.max_frame = DEFAULT_MAX_FRAME
        self.patience = _CONNECT_SECONDS
        self.arrived = time.monotonic()
        self._stream = stream
        self._log = log
        self._buffer = FrameBuffer()
        self._frames, self._unsent = trio.open_memory_channel[bytes](math.inf)

    def send(self, message: Mapping[str, Any]) -> None:
        """Put one message into the queue; nothing after ``leave``.

        Raises:
            BadFrame: it is too large for the server, or cannot be encoded.
        """
        frame = encode(message, self.max_frame)
        try:
            self._frames.send_nowait(frame)
        except trio.ClosedResourceError:
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
                with trio.fail_after(self.patience):
                    await self._stream.send_all(frame)
            except (OSError, trio.BrokenResourceError, trio.TooSlowError) as error:
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
            with trio.fail_after(self.patience):
                data = await self._stream.receive_some(_CHUNK)
        except trio.TooSlowError as error:
            raise ConnectionLost("the server was silent for three heartbeats") from error
        except (OSError, trio.BrokenResourceError) as error:
            raise ConnectionLost(f"the connection broke while receiving: {error}") from error
        if not data:
            raise ConnectionLost("the server closed the connection without a goodbye")
        return bytes(data)

    async def leave(self, reason: str) -> None:
        """Say goodbye after all that is in the queue, if the connection still carries it."""
        self.send({"type": "goodbye", "reason": reason})
        self._frames.close()
        with trio.move_on_after(_LEAVE_SECONDS) as scope:
            scope.shield = True
            try:
                await self.write()
            except ConnectionLost:
                return

    async def close(self) -> None:
        """Close the stream, without a word."""
        self._frames.close()
        await trio.aclose_forcefully(self._stream)


async def connect(
    address: Address, tls: ssl.SSLContext | None = None, log: FrameLog | None = None
) -> Connection:
    """A new connection.

    Raises:
        ConnectionLost: nobody listens there, or the certificate is not good.
    """
    try:
        with trio.fail_after(_CONNECT_SECONDS):
            stream = await trio.open_tcp_stream(*address)
            return Connection(
                stream if tls is None else await _secured(stream, tls, address.host), log
            )
    except (OSError, trio.BrokenResourceError, trio.TooSlowError) as error:
        why = error.__cause__ or error
        raise ConnectionLost(f"cannot connect to {address}: {why}") from error


async def _secured(stream: trio.SocketStream, tls: ssl.SSLContext, host: str) -> trio.abc.Stream:
    secured = trio.SSLStream(stream, tls, server_hostname=host)
    try:
        await secured.do_handshake()
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return secured
