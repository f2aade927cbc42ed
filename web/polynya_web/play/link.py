"""The connection of a person's seat to the game server, made again when it is lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog
import trio

from polynya_protocol import RemoteProtocolError, client_side
from polynya_protocol.connection import Connection
from polynya_protocol.messages import (
    Error,
    FromClient,
    FromServer,
    Goodbye,
    Hello,
    Ping,
    Pong,
    Welcome,
)

log = structlog.get_logger("polynya_web")

Dial = Callable[[], Awaitable[trio.abc.Stream]]

_REPLY_S = 10
_PAUSE_S = 0.5
_TRIES = 40
_READ = 65_536
_LOST = (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)


class LinkError(Exception):
    """The seat has no connection any more; the message is a sentence."""


class Link:
    """A player's connection.

    Args:
        dial: opens a connection to the game server.
        hello: what is said first, each time.
        take: is called with each message; what it gives is the answer.

    Attributes:
        up: whether the server has welcomed us on the present connection.
    """

    def __init__(
        self, dial: Dial, hello: Hello, take: Callable[[FromServer], FromClient | None]
    ) -> None:
        self.up = False
        self._dial = dial
        self._hello = hello
        self._take = take
        self._silence_s = 60.0
        self._left = False
        self._tries = _TRIES
        self._stream: trio.abc.Stream | None = None
        self._protocol: Connection[FromServer, FromClient] = client_side()
        self._sending = trio.Lock()

    async def run(self) -> None:
        """Stay connected until :meth:`leave`.

        Raises:
            LinkError: the server does not let us in, or not again.
        """
        while not self._left:
            try:
                await self._converse()
            except _LOST as error:
                log.info("a person's seat has lost its connection", error=repr(error))
            finally:
                self.up, self._stream = False, None
            if self._left:
                return
            self._tries -= 1
            if self._tries < 0:
                raise LinkError("the connection to the game server was lost")
            await trio.sleep(_PAUSE_S)

    async def send(self, message: FromClient) -> None:
        """Send a message.

        Raises:
            LinkError: there is no connection at the moment.
        """
        stream = self._stream
        if stream is None or not self.up:
            raise LinkError("the connection to the game server is lost; it is made again")
        try:
            await self._write(stream, message)
        except _LOST as error:
            raise LinkError("the connection to the game server was lost just now") from error

    async def leave(self) -> None:
        """Say goodbye, as far as there is somebody to say it to, and end :meth:`run`."""
        self._left = True
        stream, self.up = self._stream, False
        if stream is None:
            return
        with trio.move_on_after(1, shield=True):
            try:
                await self._write(stream, Goodbye())
            except _LOST:
                log.debug("nobody heard a person's goodbye")
        await trio.aclose_forcefully(stream)

    async def drop(self) -> None:
        """End the present connection, if there is one; it is made again."""
        stream, self.up = self._stream, False
        if stream is not None:
            await trio.aclose_forcefully(stream)

    async def _converse(self) -> None:
        """One connection from hello to its end."""
        with trio.fail_after(_REPLY_S):
            stream = await self._dial()
        async with stream:
            if self._left:  # while it was being dialled
                return
            self._stream, self._protocol = stream, client_side()
            try:
                await self._write(stream, self._hello)
                await self._listen(stream)
            except trio.Cancelled:
                await self.leave()
                raise

    async def _listen(self, stream: trio.abc.Stream) -> None:
        while data := await self._read(stream):
            for item in self._protocol.receive_data(data):
                await self._on(stream, item)

    async def _read(self, stream: trio.abc.Stream) -> bytes:
        """Bytes, none at the end; silence for three heartbeats is an end too."""
        with trio.move_on_after(self._silence_s):
            return bytes(await stream.receive_some(_READ))
        return b""

    async def _on(self, stream: trio.abc.Stream, item: FromServer | RemoteProtocolError) -> None:
        if isinstance(item, RemoteProtocolError):
            log.warning("the game server's message is not understood", error=item.message)
            return
        if isinstance(item, Ping):
            await self._write(stream, Pong(item.nonce))
            return
        if isinstance(item, Goodbye) or (isinstance(item, Error) and item.fatal):
            said = item.reason if isinstance(item, Goodbye) else item.message
            raise LinkError(f"the game server has ended the connection: {said}")
        if isinstance(item, Welcome):
            self.up, self._tries = True, _TRIES
            self._silence_s = 3 * item.heartbeat_ms / 1000
        answer = self._take(item)
        if answer is not None:
            await self._write(stream, answer)

    async def _write(self, stream: trio.abc.Stream, message: FromClient) -> None:
        with trio.move_on_after(_REPLY_S) as scope:
            async with self._sending:
                await stream.send_all(self._protocol.send(message))
        if scope.cancelled_caught:
            raise trio.BrokenResourceError("the game server takes nothing")
