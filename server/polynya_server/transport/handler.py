"""Who acts on what a connection's peer sends, and where a connection stands."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Protocol

from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import FromClient

if TYPE_CHECKING:
    from polynya_server.transport.connection import Connection


class Phase(enum.IntEnum):
    """Where a connection stands."""

    GREETING = 0
    """The peer has yet to say hello, or to be welcomed."""
    OPEN = 1
    """Messages pass both ways."""
    CLOSING = 2
    """Our last frame is on its way; what still comes in is dropped."""
    CLOSED = 3
    """The socket is closed."""


class Owner(Protocol):
    """Whoever acts on what a connection's peer sends."""

    def on_message(self, connection: Connection, message: FromClient) -> None:
        """A message has come, other than ping, pong and goodbye."""

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """The peer broke the protocol; it is told and disconnected after this call."""

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """The peer leaves in order; the connection is closed after this call.

        ``reason`` is what it said of it, printable and of at most 200 characters.
        """

    def on_lost(self, connection: Connection, why: str) -> None:
        """The connection is gone without a goodbye; ``why`` is a sentence."""


class Departed:
    """The owner of a connection that is closed: nothing comes from it any more."""

    def on_message(self, connection: Connection, message: FromClient) -> None:
        """See :class:`Owner`."""

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """See :class:`Owner`."""

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """See :class:`Owner`."""

    def on_lost(self, connection: Connection, why: str) -> None:
        """See :class:`Owner`."""


DEPARTED = Departed()
