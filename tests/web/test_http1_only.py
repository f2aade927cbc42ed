"""The pages' port speaks HTTP/1.1 only: no client gets a connection of HTTP/2."""

from __future__ import annotations

from contextlib import suppress

import pytest
import trio

from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

PATIENCE_S = 60
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
EMPTY_SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
UPGRADE = (
    b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, HTTP2-Settings, close\r\n"
    b"upgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n"
)


async def everything_answered(address: str, *pieces: bytes) -> bytes:
    """All bytes that the port sends until it closes the connection."""
    host, port = address.removeprefix("http://").split(":")
    answered = b""
    with trio.fail_after(PATIENCE_S):
        async with await trio.open_tcp_stream(host, int(port)) as stream:
            # A server that closes with bytes unread resets the connection.
            with suppress(trio.BrokenResourceError):
                for piece in pieces:
                    await stream.send_all(piece)
                async for data in stream:
                    answered += data
    return answered


@pytest.mark.parametrize(
    "pieces",
    [(PREFACE + EMPTY_SETTINGS,), (PREFACE[:7], PREFACE[7:] + EMPTY_SETTINGS)],
    ids=["at once", "in pieces"],
)
async def test_prior_knowledge_of_http2_is_refused(pieces: tuple[bytes, ...]) -> None:
    async with open_web(WebSettings(port=0)) as address:
        answered = await everything_answered(address, *pieces)
    assert answered.split(b"\r\n")[0] == b"HTTP/1.1 505 "


async def test_upgrade_to_http2_is_ignored() -> None:
    async with open_web(WebSettings(port=0)) as address:
        answered = await everything_answered(address, UPGRADE)
    assert answered.split(b"\r\n")[0] == b"HTTP/1.1 200 "


async def test_connection_goes_on_with_http1_after_an_ignored_upgrade() -> None:
    async with open_web(WebSettings(port=0)) as address:
        kept = UPGRADE.replace(b", close", b"")
        answered = await everything_answered(address, kept + UPGRADE)
    assert answered.count(b"HTTP/1.1 200 ") == 2
