"""The listening socket: who comes in, and how many may."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections import Counter

import trio

from polynya_protocol import encode
from polynya_protocol.messages import Error, Goodbye
from polynya_server.log import log
from polynya_server.services import Services
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.arrival import stamp_arrivals
from polynya_server.transport.connection import Connection
from polynya_server.transport.handler import Owner
from polynya_server.transport.tls import TlsSocket
from polynya_server.transport.uninterrupted import uninterrupted

BACKLOG = 2**16 - 1
"""How many may wait to be let in; the system has a bound of its own, mostly 4,096.

Who comes when they are so many is not heard, and tries again after a second.
"""

ACCEPTED_AT_ONCE = 128
"""How many are let in before others are served."""

OVERLOADED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS}
OVERLOAD_PAUSE_NS = 100 * NS_PER_MS


async def listen(host: str, port: int) -> socket.socket:
    """A listening socket at the first address that ``host`` stands for.

    Raises:
        OSError: the address is unknown or taken.
    """
    found = await trio.socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    family, kind, protocol, _, address = found[0]
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        stamp_arrivals(sock)  # Linux begins a little after it was first asked: before any turn
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


class Door:
    """Accepts connections and keeps them.

    Attributes:
        connections: those that are not closed.
    """

    def __init__(self, services: Services, sock: socket.socket, owner: Owner) -> None:
        self.connections: set[Connection] = set()
        self._services = services
        self._sock = sock
        self._owner = owner
        self._uninterrupted = uninterrupted()
        self._per_address: Counter[str] = Counter()
        self._open = True
        self._gone = trio.Event()
        self._resume = services.timekeeper.alarm(self._on_resume)
        services.pump.add(self)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are listened on."""
        host, port = self._sock.getsockname()[:2]
        return host, port

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._sock.fileno()

    def on_readable(self) -> None:
        """Let in who waits."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                sock, address = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in OVERLOADED:
                    self._pause(error)
                    return
                continue  # one peer that was gone before it was let in
            self._let_in(sock, str(address[0]))
        self._services.pump.again(self)  # a crowd: when a thousand bots come back at once

    def on_writable(self) -> None:
        """A listening socket is never written to."""

    def on_crash(self, error: Exception) -> None:
        """A bug showed while somebody was let in; the next one may fare better."""
        log.error("accepting a connection failed", exc_info=error)
        self._services.pump.again(self)

    async def send_away(self, farewell: Goodbye) -> None:
        """Let nobody in any more, and wait until everybody has gone; none is waited for long."""
        self._shut()
        for connection in list(self.connections):
            connection.finish(farewell)
        while self.connections:
            await self._gone.wait()

    def close(self) -> None:
        """Let nobody in any more, and close all connections."""
        self._shut()
        for connection in list(self.connections):
            connection.drop("the server was closed")

    def _shut(self) -> None:
        if self._open:
            self._open = False
            self._resume.close()
            self._services.pump.remove(self)
            self._sock.close()

    def _let_in(self, sock: socket.socket, address: str) -> None:
        sock.setblocking(False)
        refusal = self._refusal(address)
        if refusal is not None:
            self._services.measures.turned_away += 1
            _turn_away(sock, refusal, encrypted=self._services.tls is not None)
            return
        self._services.measures.accepted += 1
        self._per_address[address] += 1
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stamp_arrivals(sock)
        tls = self._services.tls
        transport = self._uninterrupted(sock)
        if tls is not None:
            transport = TlsSocket(transport, tls.context())
        self.connections.add(
            Connection(self._services, transport, address, self._owner, self._on_closed)
        )

    def _refusal(self, address: str) -> str | None:
        settings = self._services.settings
        if len(self.connections) >= settings.max_connections:
            return f"the server has {settings.max_connections} connections, its limit"
        limit = settings.max_connections_per_address
        if self._per_address[address] >= limit:
            return f"there are {limit} connections from {address}, the limit"
        return None

    def _on_closed(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self._per_address[connection.address] -= 1
        if not self._per_address[connection.address]:
            del self._per_address[connection.address]
        self._gone.set()
        self._gone = trio.Event()

    def _pause(self, error: OSError) -> None:
        log.error("no more connections can be accepted for now", error=error.strerror)
        self._services.pump.watch(self, readable=False, writable=False)
        self._resume.set(self._services.now() + OVERLOAD_PAUSE_NS)

    def _on_resume(self) -> None:
        self._services.pump.watch(self, readable=True, writable=False)


def _turn_away(sock: socket.socket, sentence: str, *, encrypted: bool) -> None:
    """Say why in one frame, as far as it can be said without waiting: not before a handshake."""
    with sock, contextlib.suppress(OSError):
        if not encrypted:
            sock.send(encode(Error(code="server_full", message=sentence, fatal=True)))
        sock.shutdown(socket.SHUT_WR)
