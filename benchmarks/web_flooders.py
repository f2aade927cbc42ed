"""Clients that flood the web pages, each kind as one process.

``python -m benchmarks.web_flooders PORT KIND``. They give way to the server and its bots, because
real ones are on other machines: what they cost is what the server does for them. On a machine that
has other work to do, start the benchmark by ``chrt -r 10``: then they give way to these alone,
and all else gives way to them.
They end when they are killed.
"""

from __future__ import annotations

import itertools
import os
import sys

import trio

KINDS = {
    "requests": "16 connections that ask for /health without end",
    "pages": "16 connections that ask for pages and lists, each time with other parameters",
    "new connections": "16 that connect, ask for the first page and leave, without end",
    "pipelining": "16 connections that send requests without waiting for answers",
    "slow readers": "200 connections that ask for pages and read nothing",
    "slow writers": "500 connections that send a request by a byte a second",
    "event streams": "1,000 streams of events of the matches in play",
    "HTTP/2": "4 that send the preface, then HEADERS and RST_STREAM, again and again",
    "upgrade to HTTP/2": "4 that ask to change to HTTP/2, then send HEADERS and RST_STREAM",
    "logins": "16 that try tokens of the operator without end",
    "large forms": "16 that send forms of 1 MB without end",
}
"""The flooders, by kind."""

_HOST = b"host: localhost\r\n\r\n"
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
_UPGRADE = (
    b"GET /health HTTP/1.1\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\n"
    b"http2-settings: AAMAAABkAAQAAP__\r\n" + _HOST
)
# ":method GET", ":scheme http", ":path /", ":authority localhost" (RFC 7541, static table)
_FIELDS = b"\x82\x86\x84\x41\x09localhost"
_PATHS = ("/", "/matches", "/bots", "/ladder", "/api/v1/matches", "/api/v1/bots", "/api/v1/live")


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\n".encode() + _HOST


def _resets() -> bytes:
    """HEADERS and RST_STREAM of 400 streams, as one piece."""
    frames = bytearray()
    for stream in range(3, 803, 2):
        number = stream.to_bytes(4, "big")
        frames += len(_FIELDS).to_bytes(3, "big") + b"\x01\x05" + number + _FIELDS
        frames += b"\x00\x00\x04\x03\x00" + number + b"\x00\x00\x00\x08"
    return bytes(frames)


class Flood:
    """One kind of flood against a port."""

    def __init__(self, port: int, kind: str) -> None:
        self._port = port
        self._kind = kind
        self._numbers = itertools.count()

    async def run(self) -> None:
        """Flood for ever."""
        count = int(next(w for w in KINDS[self._kind].replace(",", "").split() if w.isdigit()))
        one = {
            "requests": self._ask,
            "pages": self._ask,
            "logins": self._ask,
            "large forms": self._ask,
            "new connections": self._connect_anew,
            "pipelining": self._pipeline,
            "slow readers": self._read_nothing,
            "slow writers": self._write_slowly,
            "event streams": self._follow,
            "HTTP/2": self._reset_streams,
            "upgrade to HTTP/2": self._reset_streams,
        }[self._kind]
        async with trio.open_nursery() as nursery:
            for _ in range(count):
                nursery.start_soon(self._keep_on, one)

    async def _keep_on(self, one) -> None:  # type: ignore[no-untyped-def]
        while True:
            try:
                async with await trio.open_tcp_stream("127.0.0.1", self._port) as stream:
                    await one(stream)
            except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            await trio.sleep(0)

    def _request(self) -> bytes:
        number = next(self._numbers)
        if self._kind == "logins":
            body = f"token={number:040}".encode()
            return _post("/operator/login", body)
        if self._kind == "large forms":
            return _post("/play", b"x" * 1_000_000)
        if self._kind == "pages":
            return _get(f"{_PATHS[number % len(_PATHS)]}?page={number}&size=200&bot=b{number}")
        return _get("/health")

    async def _ask(self, stream: trio.SocketStream) -> None:
        """Ask, and ask again when something has been answered."""
        while True:
            await stream.send_all(self._request())
            if not await stream.receive_some(1 << 18):
                return

    async def _connect_anew(self, stream: trio.SocketStream) -> None:
        await stream.send_all(_get("/"))
        await stream.receive_some(1 << 18)

    async def _pipeline(self, stream: trio.SocketStream) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_read_all, stream, nursery.cancel_scope)
            while True:
                await stream.send_all(_get("/health") * 100)

    async def _read_nothing(self, stream: trio.SocketStream) -> None:
        await stream.send_all(_get("/static/style.css") * 20)
        await trio.sleep_forever()

    async def _write_slowly(self, stream: trio.SocketStream) -> None:
        for byte in b"GET /" + b"x" * 10_000:
            await stream.send_all(bytes([byte]))
            await trio.sleep(1)

    async def _follow(self, stream: trio.SocketStream) -> None:
        await stream.send_all(_get("/api/v1/live"))
        while await stream.receive_some(1 << 18):
            pass

    async def _reset_streams(self, stream: trio.SocketStream) -> None:
        frames = _resets()
        await stream.send_all(_PREFACE if self._kind == "HTTP/2" else _UPGRADE + _PREFACE)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_read_all, stream, nursery.cancel_scope)
            while True:
                await stream.send_all(frames)


def _post(path: str, body: bytes) -> bytes:
    kind = b"content-type: application/x-www-form-urlencoded\r\n"
    length = f"POST {path} HTTP/1.1\r\ncontent-length: {len(body)}\r\n".encode()
    return length + kind + b"origin: http://localhost\r\n" + _HOST + body


async def _read_all(stream: trio.SocketStream, scope: trio.CancelScope) -> None:
    while await stream.receive_some(1 << 18):
        pass
    scope.cancel()


if __name__ == "__main__":
    if os.sched_getscheduler(0) == os.SCHED_OTHER:
        os.nice(19)
    else:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    trio.run(Flood(int(sys.argv[1]), sys.argv[2]).run)
