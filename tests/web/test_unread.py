"""Whoever asks for pages and never reads them keeps nobody waiting."""

from __future__ import annotations

import socket

import pytest
import trio

from polynya_server.http import http_server
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

REQUEST = b"GET /static/vendor/uplot/uPlot.esm.js HTTP/1.1\r\nhost: localhost\r\n\r\n"
PATIENCE_S = 10


async def asked_without_reading(address: str) -> trio.SocketStream:
    """Somebody who has asked for more than is sent ahead, and reads only the first byte of it."""
    host, port = address.removeprefix("http://").split(":")
    connection = trio.socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    await connection.connect((host, int(port)))
    stream = trio.SocketStream(connection)
    await stream.send_all(REQUEST * 20)
    await stream.receive_some(1)
    return stream


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no such limit")
async def test_pages_close_despite_a_client_that_reads_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_server, "_UNREAD_MS", 500)
    async with trio.open_nursery() as nursery:
        async with open_web(WebSettings(port=0)) as address:
            stream = await asked_without_reading(address)

            async def hang_up_at_last() -> None:
                await trio.sleep(PATIENCE_S)
                await trio.aclose_forcefully(stream)

            nursery.start_soon(hang_up_at_last)
            closing = trio.current_time()
        assert trio.current_time() - closing < PATIENCE_S
        nursery.cancel_scope.cancel()
    await trio.aclose_forcefully(stream)
