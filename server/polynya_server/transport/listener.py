"""Accepts connections on the listening socket, as many as the limits allow."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections import Counter
from collections.abc import Callable
from typing import Protocol

import trio

from polynya_common.reasons import Reason
from polynya_protocol import encode
from polynya_protocol.messages import Error, Goodbye
from polynya_server.changes import Changes
from polynya_server.log import log
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.arrival import stamp_arrivals
from polynya_server.transport.base import Reactor, Transport
from polynya_server.transport.connection import Connection
from polynya_server.transport.tls import Certificate, TlsSocket

BACKLOG = 2**16 - 1
"""Backlog: connections that may wait to be accepted; the system has its own bound, mostly 4,096.

Connections beyond it are dropped by the kernel; clients retry after about a second.
"""

ACCEPTED_AT_ONCE = 128
"""Connections accepted before other clients are served."""

OVERLOADED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS}
OVERLOAD_PAUSE_NS = 100 * NS_PER_MS
SHORTAGE_NS = 60_000 * NS_PER_MS
"""Minimum interval between log entries about a shortage."""

HINT = "connections wait; raise the limit of open files: LimitNOFILE= of systemd, or ulimit -n"

Connect = Callable[[Transport, str, Callable[[Connection], None]], Connection]
"""Makes a connection from a socket, its peer's address, and a callback for when it is closed."""


class ConnectionCounter(Protocol):
    """Counts accepted connections, and those rejected because of a limit."""

    accepted: int
    rejected: int


async def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket at the first address that ``host`` resolves to.

    Raises:
        OSError: the address is unknown or taken.
    """
    found = await trio.socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    family, kind, protocol, _, address = found[0]
    sock = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere the option would let others take the address
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        stamp_arrivals(sock)  # Linux enables them with a delay: ask before the first turn
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


class Listener:
    """Accepts connections and keeps them.

    Args:
        sock: the listening socket.
        connect: makes connections.
        reactor: calls it when a connection waits.
        deadlines: for its pauses.
        settings: the limits.
        counter: counts the connections.
        certificate: the server's, for TLS; None for none.
        peer: name of all its peers in place of their addresses, which mean nothing in a separate
            network namespace.

    Attributes:
        connections: the connections that are not closed.
        is_open: whether it accepts connections.
    """

    def __init__(
        self,
        sock: socket.socket,
        connect: Connect,
        reactor: Reactor,
        deadlines: DeadlineQueue,
        settings: ServerSettings,
        counter: ConnectionCounter,
        certificate: Certificate | None = None,
        peer: str | None = None,
    ) -> None:
        self.connections: set[Connection] = set()
        self._sock = sock
        self._connect = connect
        self._reactor = reactor
        self._deadlines = deadlines
        self._settings = settings
        self._certificate = certificate
        self._counter = counter
        self._per_address: Counter[str] = Counter()
        self._peer = peer
        self.is_open = True
        self._closings = Changes()
        self._shortage_logged_ns: int | None = None
        self._resume = deadlines.new(self._on_resume)
        reactor.add(self)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that are listened on."""
        host, port = self._sock.getsockname()[:2]
        return host, port

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._sock.fileno()

    def on_readable(self) -> None:
        """Accept the connections that wait."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                sock, address = self._sock.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in OVERLOADED:
                    self._pause(error)
                    return
                continue  # the peer was gone before it was accepted
            self._accept(sock, self._peer or str(address[0]))
        self._reactor.reschedule(self)  # many wait: a thousand bots come back at once

    def on_writable(self) -> None:
        """A listening socket is never written to."""

    def on_crash(self, error: Exception) -> None:
        """Log a bug in accepting a connection, and go on with the next."""
        log.error("accepting a connection failed", exc_info=error)
        self._reactor.reschedule(self)

    async def disconnect(self, farewell: Goodbye) -> None:
        """Stop listening, say goodbye to all peers, and wait until their connections are closed."""
        self.shut()
        for connection in list(self.connections):
            connection.finish(farewell)
        while self.connections:
            await self._closings.wait()

    def close(self) -> None:
        """Stop listening, and close all connections."""
        self.shut()
        for connection in list(self.connections):
            connection.drop(Reason.of("server_closed"))

    def shut(self) -> None:
        """Stop listening; the connections go on."""
        if self.is_open:
            self.is_open = False
            self._resume.close()
            self._reactor.remove(self)
            self._sock.close()

    def _accept(self, sock: socket.socket, address: str) -> None:
        sock.setblocking(False)
        refusal = self._refusal(address)
        if refusal is not None:
            self._counter.rejected += 1
            _reject(sock, refusal, encrypted=self._certificate is not None)
            return
        self._counter.accepted += 1
        self._per_address[address] += 1
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stamp_arrivals(sock)
        transport: Transport = sock
        if self._certificate is not None:
            transport = TlsSocket(sock, self._certificate.context())
        self.connections.add(self._connect(transport, address, self._on_closed))

    def _refusal(self, address: str) -> str | None:
        settings = self._settings
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
        self._closings.notify()

    def _pause(self, error: OSError) -> None:
        now_ns = self._deadlines.now()
        if self._shortage_logged_ns is None or now_ns - self._shortage_logged_ns >= SHORTAGE_NS:
            self._shortage_logged_ns = now_ns
            log.error(
                "no more connections can be accepted for now", error=error.strerror, hint=HINT
            )
        self._reactor.set_interest(self, readable=False, writable=False)
        self._resume.set(now_ns + OVERLOAD_PAUSE_NS)

    def _on_resume(self) -> None:
        self._reactor.set_interest(self, readable=True, writable=False)


def _reject(sock: socket.socket, sentence: str, *, encrypted: bool) -> None:
    """Send one frame with the reason if that needs no waiting: not before a TLS handshake."""
    with sock, contextlib.suppress(OSError):
        if not encrypted:
            sock.send(encode(Error(code="server_full", message=sentence, fatal=True)))
        sock.shutdown(socket.SHUT_WR)
