"""A TCP proxy that does to connections what networks do: delay, split, hold, cut and reset them."""

from __future__ import annotations

import random
import socket
from dataclasses import dataclass, field

import trio

LINGER_ZERO = b"\x01\0\0\0\0\0\0\0"
"""With this a closed socket sends a reset."""


@dataclass(frozen=True, slots=True)
class Weather:
    """What bytes go through.

    Attributes:
        delay_s: how late every piece is, in s.
        jitter_s: how much later it may be.
        up_bytes, down_bytes: the longest piece towards the server, and towards the bot.
    """

    delay_s: float = 0
    jitter_s: float = 0
    up_bytes: int = 65_536
    down_bytes: int = 65_536


FAIR = Weather()
WEATHERS = (
    FAIR,
    Weather(delay_s=0.01),
    Weather(delay_s=0.005, jitter_s=0.03),
    Weather(up_bytes=1, down_bytes=50),
    Weather(jitter_s=0.002, up_bytes=7, down_bytes=200),
)
"""What a connection has to bear; a turn takes a few pieces, its limit is seconds."""


@dataclass(eq=False, slots=True)
class _Link:
    """One connection: the bot's socket and the one to the server."""

    bot: trio.SocketStream
    server: trio.SocketStream
    ended: trio.CancelScope = field(default_factory=trio.CancelScope)


class Proxy:
    """Stands between bots and a server.

    Attributes:
        weather: what bytes go through now.
        port: where it listens, after ``run`` has started.
        passed: how many bytes it has handed on.
    """

    def __init__(self, target_port: int, chance: random.Random) -> None:
        self.weather = FAIR
        self.port = 0
        self.passed = 0
        self._target_port = target_port
        self._chance = chance
        self._links: set[_Link] = set()
        self._released = trio.Event()
        self._released.set()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen until cancelled."""
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._serve, [listener])

    def reset(self) -> None:
        """Reset all connections, on both sides."""
        for link in self._links:
            for stream in (link.bot, link.server):
                _reset_when_closed(stream)
            link.ended.cancel()

    def cut(self) -> None:
        """Close all connections, on both sides."""
        for link in self._links:
            link.ended.cancel()

    def half_open(self) -> None:
        """Close the bots' side only: the server hears nothing of it, and nothing ever again."""
        for link in self._links:
            _reset_when_closed(link.bot)
            link.bot.socket.close()

    def hold(self) -> None:
        """Let nothing pass until ``release``; connections stay."""
        self._released = trio.Event()

    def release(self) -> None:
        """Let bytes pass again."""
        self._released.set()

    async def _serve(self, bot: trio.SocketStream) -> None:
        try:
            server = await trio.open_tcp_stream("127.0.0.1", self._target_port)
        except OSError:
            await bot.aclose()
            return
        link = _Link(bot, server)
        self._links.add(link)
        try:
            async with bot, server, trio.open_nursery() as nursery:
                with link.ended:
                    nursery.start_soon(self._up, link)
                    await self._down(link)
                nursery.cancel_scope.cancel()
        finally:
            self._links.discard(link)

    async def _up(self, link: _Link) -> None:
        """From the bot to the server, until either is gone."""
        try:
            while data := await link.bot.receive_some(self.weather.up_bytes):
                await self._pass(bytes(data), link.server)
            await link.server.send_eof()
        except trio.BrokenResourceError:
            link.ended.cancel()
        except trio.ClosedResourceError:
            pass  # the bot's side was closed by ``half_open``: the server is not told

    async def _down(self, link: _Link) -> None:
        """From the server to the bot, until the server has closed; what nobody takes is dropped."""
        try:
            while data := await link.server.receive_some(self.weather.down_bytes):
                await self._hand_down(bytes(data), link.bot)
        except trio.BrokenResourceError:
            pass

    async def _hand_down(self, data: bytes, bot: trio.SocketStream) -> None:
        try:
            await self._pass(data, bot)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await trio.lowlevel.checkpoint()

    async def _pass(self, data: bytes, sink: trio.SocketStream) -> None:
        await self._released.wait()
        weather = self.weather
        if weather.delay_s or weather.jitter_s:
            await trio.sleep(weather.delay_s + self._chance.uniform(0, weather.jitter_s))
        self.passed += len(data)
        await sink.send_all(data)


def _reset_when_closed(stream: trio.SocketStream) -> None:
    # A socket that is half open already has no descriptor any more.
    if stream.socket.fileno() >= 0:
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO)
