"""The suite's proxy does to connections what it says, and nothing else."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from tests.chaos.proxy import WEATHERS, Proxy, Weather

TEXT = bytes(range(256)) * 4


class Echo:
    """A server that sends everything back, and remembers in which pieces it came.

    Attributes:
        pieces: the pieces.
        ended: set when a connection has ended, in order or not.
    """

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.ended = trio.Event()

    async def serve(self, stream: trio.SocketStream) -> None:
        try:
            async for piece in stream:
                self.pieces.append(bytes(piece))
                await stream.send_all(piece)
        except trio.BrokenResourceError:
            pass
        self.ended.set()


@asynccontextmanager
async def through_proxy(weather: Weather) -> AsyncIterator[tuple[trio.SocketStream, Proxy, Echo]]:
    echo = Echo()
    async with trio.open_nursery() as nursery:
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, echo.serve, [listener])
        proxy = Proxy(listener.socket.getsockname()[1], random.Random(1))
        proxy.weather = weather
        await nursery.start(proxy.run)
        async with await trio.open_tcp_stream("127.0.0.1", proxy.port) as stream:
            yield stream, proxy, echo
        nursery.cancel_scope.cancel()


async def received(stream: trio.SocketStream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += await stream.receive_some()
    return data


@pytest.mark.parametrize("weather", WEATHERS)
async def test_all_bytes_arrive_in_order_in_any_weather(weather: Weather) -> None:
    async with through_proxy(weather) as (stream, proxy, _):
        await stream.send_all(TEXT)
        assert await received(stream, len(TEXT)) == TEXT
        assert proxy.passed == 2 * len(TEXT)


async def test_bytes_go_up_one_at_a_time() -> None:
    async with through_proxy(Weather(up_bytes=1)) as (stream, proxy, echo):
        for number in range(8):
            await stream.send_all(TEXT[number : number + 1] * 2)
            await received(stream, 2)
        assert proxy.passed == 32
        assert b"".join(echo.pieces) == b"".join(TEXT[n : n + 1] * 2 for n in range(8))


async def test_a_reset_is_felt_on_both_sides() -> None:
    async with through_proxy(Weather()) as (stream, proxy, echo):
        await stream.send_all(b"x")
        await received(stream, 1)
        proxy.reset()
        with pytest.raises(trio.BrokenResourceError):
            await stream.receive_some()
        await echo.ended.wait()


async def test_a_cut_is_an_end_in_order() -> None:
    async with through_proxy(Weather()) as (stream, proxy, echo):
        await stream.send_all(b"x")
        await received(stream, 1)
        proxy.cut()
        assert await stream.receive_some() == b""
        await echo.ended.wait()


async def test_of_a_half_open_connection_the_server_hears_nothing() -> None:
    async with through_proxy(Weather()) as (stream, proxy, echo):
        await stream.send_all(b"x")
        await received(stream, 1)
        proxy.half_open()
        with pytest.raises(trio.BrokenResourceError):
            await stream.receive_some()
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert not echo.ended.is_set()
        proxy.half_open()
        proxy.reset()
        await echo.ended.wait()


async def test_while_held_nothing_passes_and_then_all_of_it() -> None:
    async with through_proxy(Weather()) as (stream, proxy, echo):
        proxy.hold()
        await stream.send_all(TEXT)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert echo.pieces == []
        proxy.release()
        assert await received(stream, len(TEXT)) == TEXT
