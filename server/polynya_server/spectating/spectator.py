"""Serves a spectator's connection: it never slows a match, and lags by at most a snapshot."""

from __future__ import annotations

from polynya_common.reasons import Cause
from polynya_protocol import RemoteProtocolError
from polynya_protocol.errors import printable
from polynya_protocol.messages import FromClient, Unwatch, Watch
from polynya_server.log import log
from polynya_server.spectating.spectator_hub import MatchBroadcast, SpectatorHub
from polynya_server.transport.arrival import Arrival
from polynya_server.transport.connection import Connection


class Spectator:
    """Handles one spectator's connection.

    Args:
        connection: the spectator's.
        hub: knows the matches.
        max_unsent: while more bytes wait to be sent, events are replaced by a later snapshot.

    Attributes:
        watched: the broadcasts that it receives.
    """

    __slots__ = ("_behind", "_catching_up", "_connection", "_hub", "_max_unsent", "watched")

    def __init__(self, connection: Connection, hub: SpectatorHub, max_unsent: int) -> None:
        self.watched: set[MatchBroadcast] = set()
        self._connection = connection
        self._hub = hub
        self._max_unsent = max_unsent
        self._behind: set[MatchBroadcast] = set()
        self._catching_up = False

    def send(self, broadcast: MatchBroadcast, *frames: bytes) -> None:
        """Send frames of a match; if too much is unsent already, a snapshot replaces them later.

        Either all frames are sent or none. If nothing is unsent they are sent however long they
        are: otherwise a snapshot of that length would never be sent.
        """
        if broadcast in self._behind:
            return
        unsent = self._connection.unsent
        if not unsent or unsent + sum(map(len, frames)) <= self._max_unsent:
            self._connection.send_frames(frames)
            return
        self._behind.add(broadcast)
        if not self._catching_up:
            self._catching_up = True
            self._connection.send_frames((), self._catch_up)

    def send_snapshot(self, broadcast: MatchBroadcast) -> None:
        """Send a snapshot of the match; if that fails, leave its broadcast: the match goes on."""
        try:
            frames = broadcast.snapshot_frames()
        except Exception:
            log.exception("a match cannot be shown", match=broadcast.match)
            broadcast.leave(self)
            return
        self.send(broadcast, *frames)

    def on_message(
        self,
        connection: Connection,
        message: FromClient,
        arrival: Arrival,  # noqa: ARG002
    ) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        if isinstance(message, Watch):
            if message.all:
                self._hub.watch_all(self)
            elif message.match is not None and not self._hub.watch(self, message.match):
                shown = printable(message.match, 100)
                connection.error("unknown_match", f"no match {shown} is being played", shown)
        elif isinstance(message, Unwatch):
            self._unwatch(message.match)

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        log.repeated("info", "a spectator broke the protocol", code=error.code, error=error.message)
        self._unwatch(None)

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        self._unwatch(None)

    def on_lost(self, connection: Connection, why: Cause) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        self._unwatch(None)

    def _unwatch(self, match: str | None) -> None:
        if match is None:
            self._hub.unwatch_all(self)
        for broadcast in list(self.watched):
            if match is None or broadcast.match == match:
                broadcast.leave(self)
                self._behind.discard(broadcast)

    def _catch_up(self) -> None:
        self._catching_up = False
        behind, self._behind = self._behind, set()
        for broadcast in behind:
            self.send_snapshot(broadcast)
