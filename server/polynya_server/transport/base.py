"""Interfaces of a connection: to its socket, the loop that serves it, and its handler.

The handler acts on the peer's messages: the handshake first, then a bot's session or a spectator.
It changes when the peer is welcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from polynya_common.reasons import Cause
from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import FromClient
from polynya_server.transport.fast.write_batch import WriteBatch

Ancillary = list[tuple[int, int, bytes]]


class Transport(Protocol):
    """The interface of a socket, encrypted or not; no call waits."""

    def fileno(self) -> int:
        """The socket's descriptor."""

    def recv(self, size: int, /) -> bytes:
        """Receive bytes; none at the end of the stream."""

    def recvmsg(self, size: int, ancillary: int, /) -> tuple[bytes, Ancillary, int, object]:
        """Receive bytes with the kernel's ancillary data."""

    def send(self, data: bytes | bytearray | memoryview, /) -> int:
        """Send; return the number of bytes that the system took; the caller retries the rest."""

    def shutdown(self, how: int, /) -> None:
        """Shut down one or both directions."""

    def close(self) -> None:
        """Close the socket."""


class SocketClient(Protocol):
    """The owner of a socket; its callbacks do only work that needs no waiting."""

    def fileno(self) -> int:
        """The socket's descriptor."""

    def on_readable(self) -> None:
        """Bytes, EOF or an error can be read.

        A client that leaves some of the bytes unread calls :meth:`Reactor.set_interest` or
        :meth:`Reactor.reschedule`.
        """

    def on_writable(self) -> None:
        """Bytes can be written."""

    def on_crash(self, error: Exception) -> None:
        """One of the callbacks raised ``error``: a bug, which must not end other clients."""


class Reactor(Protocol):
    """Calls clients when their sockets are ready, as long as :meth:`run` runs."""

    @property
    def batch(self) -> WriteBatch | None:
        """Collects writes while clients are called; None if each write is sent at once."""

    def add(self, client: SocketClient) -> None:
        """Call ``client`` when it can be read."""

    def set_interest(self, client: SocketClient, *, readable: bool, writable: bool) -> None:
        """Change the events that an added client waits for; call it if one is ready now."""

    def reschedule(self, client: SocketClient) -> None:
        """Call ``on_readable`` of an added client again right after the current batch.

        For a client with more to read than it reads at once, whose turn would otherwise come after
        all others.
        """

    def remove(self, client: SocketClient) -> None:
        """Stop calling a client; called before its socket is closed."""

    async def run(self) -> None:
        """Serve the clients until closed or cancelled."""

    def close(self) -> None:
        """Stop serving."""


if TYPE_CHECKING:
    from polynya_server.transport.arrival import Arrival
    from polynya_server.transport.connection import Connection


class ConnectionHandler(Protocol):
    """Receives a connection's messages and its end."""

    def on_message(self, connection: Connection, message: FromClient, arrival: Arrival) -> None:
        """A message has arrived, other than ping, pong and goodbye."""

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """The peer broke the protocol; it is told and disconnected after this call."""

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """The peer said goodbye; the connection is closed after this call.

        ``reason`` is the peer's own, printable and of at most 200 characters.
        """

    def on_lost(self, connection: Connection, why: Cause) -> None:
        """The connection is gone without a goodbye; ``why`` is a sentence."""


class _NullHandler:
    """The handler of a closed connection: it gets no more messages."""

    def on_message(self, connection: Connection, message: FromClient, arrival: Arrival) -> None:
        """See :class:`ConnectionHandler`."""

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """See :class:`ConnectionHandler`."""

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """See :class:`ConnectionHandler`."""

    def on_lost(self, connection: Connection, why: Cause) -> None:
        """See :class:`ConnectionHandler`."""


NULL_HANDLER: Final = _NullHandler()
