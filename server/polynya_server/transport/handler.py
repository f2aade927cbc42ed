"""Acts on what a connection's peer sends: the handshake first, then a bot's session or a spectator.

The handler of a connection changes when the peer is welcome.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from polynya_common.reasons import Cause
from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import FromClient

if TYPE_CHECKING:
    from polynya_server.transport.arrival import Arrival
    from polynya_server.transport.connection import Connection


class ConnectionHandler(Protocol):
    """The calls that a connection makes."""

    def on_message(self, connection: Connection, message: FromClient, arrival: Arrival) -> None:
        """A message has come, other than ping, pong and goodbye."""

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """The peer broke the protocol; it is told and disconnected after this call."""

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """The peer leaves in order; the connection is closed after this call.

        ``reason`` is the peer's own, printable and of at most 200 characters.
        """

    def on_lost(self, connection: Connection, why: Cause) -> None:
        """The connection is gone without a goodbye; ``why`` is a sentence."""


class _NullHandler:
    """The handler of a connection that is closed: no more messages come from it."""

    def on_message(self, connection: Connection, message: FromClient, arrival: Arrival) -> None:
        """See :class:`ConnectionHandler`."""

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """See :class:`ConnectionHandler`."""

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """See :class:`ConnectionHandler`."""

    def on_lost(self, connection: Connection, why: Cause) -> None:
        """See :class:`ConnectionHandler`."""


NULL_HANDLER: Final = _NullHandler()
