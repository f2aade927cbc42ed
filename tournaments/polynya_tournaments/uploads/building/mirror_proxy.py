"""The proxy of a build: forwards connections to the mirrors, and to no other host.

The guard makes its socket inside the sandbox, whose network is otherwise empty (as it does for a
bot's connection to the referee). Tools request a host by name with CONNECT (RFC 9110, section
9.3.6), and speak TLS with that host through the proxy, which reads none of that.
"""

from __future__ import annotations

import re
import socket
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

import trio

from polynya_common.text import join_words
from polynya_protocol.errors import printable
from polynya_tournaments.uploads.building.mirrors import HTTPS_PORT, Mirror, is_public

_LONGEST_HEAD: Final = 8_192
_CHUNK: Final = 64 * 1024
_MOST_REFUSED: Final = 10
_END: Final = b"\r\n\r\n"
_CONNECT: Final = re.compile(rb"CONNECT (\S{1,300}) HTTP/1\.[01]\r\n")
_PLAIN: Final = re.compile(rb"[A-Z]{1,10} http://([^\s/]{1,300})\S* HTTP/1\.[01]\r\n")
_ANSWER_S: Final = 5.0


@dataclass(frozen=True)
class DownloadLimits:
    """The limits of one build's use of the mirrors.

    Attributes:
        megabytes: how much it may send and be sent, in MiB.
        connections: how many connections it may have at the same time; further ones wait.
        head_s: how long a request to the proxy may take to arrive.
        connect_s: how long finding and connecting to a mirror may take.
        idle_s: a connection without a byte for so long is ended.
    """

    megabytes: int = 1_024
    connections: int = 64
    head_s: float = 10.0
    connect_s: float = 15.0
    idle_s: float = 60.0


class DownloadError(Exception):
    """A build has downloaded more than it may; the message says how much."""


class _RefusedError(Exception):
    """A request to the proxy is refused; the message is for the build's log."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class MirrorProxy:
    """The proxy of one build.

    Args:
        mirrors: where its commands may connect to.
        limits: how much of that they may do.
    """

    def __init__(
        self, mirrors: Iterable[Mirror] = (), limits: DownloadLimits | None = None
    ) -> None:
        self._mirrors = {f"{mirror.host}:{mirror.port}": mirror for mirror in mirrors}
        self._limits = limits or DownloadLimits()
        self._bytes: Counter[str] = Counter()
        self._failures: list[str] = []
        self._refused: list[str] = []

    @property
    def report(self) -> list[str]:
        """Lines for the build's log: bytes received from each mirror, and refused requests."""
        read = [f"from the mirror {name}: {count:,} bytes" for name, count in self._bytes.items()]
        asked = [f"not reached: {host}" for host in self._refused]
        return [*read, *self._failures, *asked]

    @property
    def advice(self) -> str:
        """Say which refused requests may have made a build fail; empty if there were none."""
        if not self._refused:
            return ""
        asked = f"it asked for {join_words(self._refused)}"
        if not self._mirrors:
            return f"{asked}, and builds here have no network: the archive must have all it needs"
        names = join_words([mirror.label for mirror in self._mirrors.values()])
        return f"{asked}, and builds here reach {names} only"

    @contextmanager
    def listening(self, nursery: trio.Nursery, sock: socket.socket) -> Iterator[None]:
        """Serve connections to a socket until the context exits; the socket is closed then.

        ``DownloadError`` ends the nursery.
        """
        sock.setblocking(False)
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))
        scope = trio.CancelScope()
        nursery.start_soon(self._serve, listener, scope)
        try:
            yield
        finally:
            scope.cancel()

    async def _serve(self, listener: trio.SocketListener, scope: trio.CancelScope) -> None:
        free = trio.Semaphore(self._limits.connections)
        with scope:
            async with listener, trio.open_nursery() as nursery:
                while True:
                    await free.acquire()
                    nursery.start_soon(self._serve_one, await listener.accept(), free)

    async def _serve_one(self, stream: trio.SocketStream, free: trio.Semaphore) -> None:
        try:
            async with stream:
                await self._pass_on(stream)
        finally:
            free.release()

    async def _pass_on(self, stream: trio.SocketStream) -> None:
        try:
            mirror, rest = await self._asked(stream)
            server = await self._connected(mirror)
        except _RefusedError as refused:
            with trio.move_on_after(_ANSWER_S), suppress(trio.BrokenResourceError):
                await stream.send_all(_answer(refused.status, f"{refused}\n"))
            return
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return
        async with server:
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await self._relay(mirror, stream, server, rest)

    async def _asked(self, stream: trio.SocketStream) -> tuple[Mirror, bytes]:
        """Parse a request: the mirror's name, and the bytes after the request.

        Raises:
            _RefusedError: it is none of ours, or no request for one.
        """
        head = b""
        with trio.move_on_after(self._limits.head_s):
            while _END not in head and len(head) <= _LONGEST_HEAD:
                if not (more := await stream.receive_some(_CHUNK)):
                    break
                head += more
        head, end, rest = head.partition(_END)
        found = _CONNECT.match(head + b"\r\n")
        if not end or len(head) > _LONGEST_HEAD:
            raise _RefusedError("400 Bad Request", "this is no whole request to a proxy")
        if found is None:
            raise self._refuse_other(head + b"\r\n")
        place = found[1].decode("ascii", "replace").lower()
        mirror = self._mirrors.get(place)
        if mirror is None:
            raise self._refusal(place.removesuffix(f":{HTTPS_PORT}"))
        return mirror, rest

    def _refuse_other(self, head: bytes) -> _RefusedError:
        if (plain := _PLAIN.match(head)) is None:
            return _RefusedError("405 Method Not Allowed", "this proxy knows CONNECT only")
        return self._refusal(f"http://{plain[1].decode('ascii', 'replace')}")

    def _refusal(self, host: str) -> _RefusedError:
        shown = printable(host, 100)
        if shown not in self._refused and len(self._refused) < _MOST_REFUSED:
            self._refused.append(shown)
        return _RefusedError("403 Forbidden", f"builds here do not reach {shown}")

    async def _connected(self, mirror: Mirror) -> trio.SocketStream:
        """A connection to a mirror.

        Raises:
            _RefusedError: it cannot be made; the log says why.
        """
        why = "it does not answer in time"
        with trio.move_on_after(self._limits.connect_s):
            try:
                for address in await self._addresses(mirror):
                    with suppress(OSError):
                        return await trio.open_tcp_stream(address, mirror.port)
                why = "no connection is accepted"
            except OSError as error:
                why = error.strerror or str(error)
            except _RefusedError as refused:
                why = str(refused)
        sentence = f"the mirror {mirror.label} is not reached: {why}"
        if sentence not in self._failures and len(self._failures) < _MOST_REFUSED:
            self._failures.append(sentence)
        raise _RefusedError("502 Bad Gateway", sentence)

    @staticmethod
    async def _addresses(mirror: Mirror) -> list[str]:
        if mirror.address is not None:
            return [mirror.address]
        found = await trio.socket.getaddrinfo(mirror.host, mirror.port, type=socket.SOCK_STREAM)
        addresses = dict.fromkeys(str(place[0]) for *_, place in found)
        if public := [address for address in addresses if is_public(address)]:
            return public
        raise _RefusedError("", "its address is private, and the setting does not name it")

    async def _relay(
        self, mirror: Mirror, client: trio.SocketStream, server: trio.SocketStream, first: bytes
    ) -> None:
        """Pass on what both say, until both have ended or neither says anything for too long."""
        idle = self._limits.idle_s
        with trio.move_on_after(idle) as scope:

            async def passed_on(source: trio.SocketStream, target: trio.SocketStream) -> None:
                while chunk := await source.receive_some(_CHUNK):
                    await send(target, chunk)
                await target.send_eof()

            async def send(target: trio.SocketStream, chunk: bytes | bytearray) -> None:
                scope.deadline = trio.current_time() + idle
                self._count(mirror, len(chunk))
                await target.send_all(chunk)

            await send(server, first)
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(passed_on, client, server)
                    nursery.start_soon(passed_on, server, client)
            except* (trio.BrokenResourceError, trio.ClosedResourceError):
                pass  # one of them is gone

    def _count(self, mirror: Mirror, count: int) -> None:
        self._bytes[mirror.label] += count
        if self._bytes.total() > self._limits.megabytes * 2**20:
            raise DownloadError(f"downloaded more than {self._limits.megabytes:,} MiB")


def _answer(status: str, text: str) -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(text.encode())}\r\nConnection: close\r\n\r\n{text}"
    ).encode()
