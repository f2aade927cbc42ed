"""Those who watch: they never slow a match down, and are never more than a snapshot behind.

All spectators of a match are sent the same bytes: ``seq`` counts the events of the match from 0,
and a snapshot has the number of the last event that it includes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from polynya_protocol import RemoteProtocolError, encode
from polynya_protocol.errors import printable
from polynya_protocol.messages import (
    Forfeited,
    FromClient,
    MatchOver,
    MatchResume,
    Moved,
    Unwatch,
    Watch,
)
from polynya_server.log import log
from polynya_server.match.live_view import MatchInPlay
from polynya_server.records.replay import ForfeitRecord, TurnRecord
from polynya_server.transport.connection import Connection


class Gallery:
    """The spectators of one match.

    Args:
        match: the match's id.
        snapshot: makes the message that shows the match as it stands, given its ``seq``.
    """

    __slots__ = ("_final", "_seq", "_snapshot", "_watching", "match")

    def __init__(self, match: str, snapshot: Callable[[int], MatchResume]) -> None:
        self.match = match
        self._snapshot: Callable[[int], MatchResume] | None = snapshot
        self._seq = 0
        self._watching: set[Spectator] = set()
        self._final: list[bytes] = []

    def join(self, spectator: Spectator) -> None:
        """Somebody watches from now on."""
        if spectator not in self._watching:
            self._watching.add(spectator)
            spectator.watched.add(self)
            spectator.show(self)

    def leave(self, spectator: Spectator) -> None:
        """Somebody has seen enough."""
        self._watching.discard(spectator)
        spectator.watched.discard(self)

    def picture(self) -> list[bytes]:
        """The frames that show the match as it stands; its result too, if it is over."""
        if self._snapshot is None:
            return self._final
        return [encode(self._snapshot(self._seq))]

    def moved(self, turn: TurnRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._seq += 1
        if self._watching:
            event = Moved(
                match=self.match,
                seq=self._seq,
                turn=turn.turn,
                seat=turn.seat,
                steps=turn.steps,
                elapsed_ms=turn.charged_ms,
                remaining_ms=turn.remaining_ms,
            )
            self._tell(encode(event))

    def forfeited(self, forfeit: ForfeitRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._seq += 1
        if self._watching:
            event = Forfeited(
                match=self.match,
                seq=self._seq,
                seat=forfeit.seat,
                reason=forfeit.reason,
                detail=forfeit.detail,
            )
            self._tell(encode(event))

    def over(self, message: MatchOver) -> None:
        """Show the result, and let everybody go; who is behind gets the final picture later."""
        if self._watching:
            over = encode(msgspec.structs.replace(message, seq=self._seq + 1))
            self._final = [*self.picture(), over]
            self._tell(over)
        for spectator in list(self._watching):
            self.leave(spectator)
        self._snapshot = None  # which refers to the match: now nothing holds that any more

    def _tell(self, frame: bytes) -> None:
        for spectator in list(self._watching):
            spectator.tell(self, frame)


class Spectator:
    """One who watches, through one connection.

    Attributes:
        watched: the galleries it is in.
    """

    __slots__ = ("_behind", "_catching_up", "_connection", "_house", "_limit", "watched")

    def __init__(self, connection: Connection, house: House, limit: int) -> None:
        self.watched: set[Gallery] = set()
        self._connection = connection
        self._house = house
        self._limit = limit
        self._behind: set[Gallery] = set()
        self._catching_up = False

    def tell(self, gallery: Gallery, *frames: bytes) -> None:
        """Send what has happened; if too much waits already, a snapshot will take its place.

        All of it or nothing. Where nothing waits it is sent however long it is: there would be
        nothing to wait for, and a snapshot of that length would never be sent.
        """
        if gallery in self._behind:
            return
        unsent = self._connection.unsent
        if not unsent or unsent + sum(map(len, frames)) <= self._limit:
            self._connection.send_frames(frames)
            return
        self._behind.add(gallery)
        if not self._catching_up:
            self._catching_up = True
            self._connection.send_frames((), self._catch_up)

    def show(self, gallery: Gallery) -> None:
        """Send the match as it stands; one that cannot be shown is not, and goes on."""
        try:
            picture = gallery.picture()
        except Exception:
            log.exception("a match cannot be shown", match=gallery.match)
            gallery.leave(self)
            return
        self.tell(gallery, *picture)

    def on_message(self, connection: Connection, message: FromClient) -> None:
        """See :class:`~polynya_server.transport.handler.Owner`."""
        if isinstance(message, Watch):
            if message.all:
                self._house.watch_all(self)
            elif message.match is not None and not self._house.watch(self, message.match):
                shown = printable(message.match, 100)
                connection.error("unknown_match", f"no match {shown} is being played", shown)
        elif isinstance(message, Unwatch):
            self._unwatch(message.match)

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.transport.handler.Owner`."""
        log.info("a spectator broke the protocol", code=error.code, error=error.message)
        self._unwatch(None)

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.transport.handler.Owner`."""
        self._unwatch(None)

    def on_lost(self, connection: Connection, why: str) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.transport.handler.Owner`."""
        self._unwatch(None)

    def _unwatch(self, match: str | None) -> None:
        if match is None:
            self._house.unwatch_all(self)
        for gallery in list(self.watched):
            if match is None or gallery.match == match:
                gallery.leave(self)
                self._behind.discard(gallery)

    def _catch_up(self) -> None:
        self._catching_up = False
        behind, self._behind = self._behind, set()
        for gallery in behind:
            self.show(gallery)


class House:
    """All galleries of the server, and those who watch every match."""

    def __init__(self) -> None:
        self._galleries: dict[str, Gallery] = {}
        self._matches: dict[str, MatchInPlay] = {}
        self._everywhere: set[Spectator] = set()

    @property
    def matches(self) -> Mapping[str, MatchInPlay]:
        """What is shown, by the match's id, in the order of beginning."""
        return self._matches

    def open(self, gallery: Gallery, match: MatchInPlay) -> None:
        """A match begins."""
        self._galleries[gallery.match] = gallery
        self._matches[gallery.match] = match
        for spectator in list(self._everywhere):
            gallery.join(spectator)

    def close(self, gallery: Gallery) -> None:
        """A match is over."""
        self._galleries.pop(gallery.match, None)
        match = self._matches.pop(gallery.match, None)
        if match is not None:
            match.is_over = True

    def watch(self, spectator: Spectator, match: str) -> bool:
        """Let somebody watch a match; False if it is not in play."""
        gallery = self._galleries.get(match)
        if gallery is None:
            return False
        gallery.join(spectator)
        return True

    def watch_all(self, spectator: Spectator) -> None:
        """Let somebody watch all matches, those to come too."""
        self._everywhere.add(spectator)
        for gallery in list(self._galleries.values()):
            gallery.join(spectator)

    def unwatch_all(self, spectator: Spectator) -> None:
        """Those to come are no longer shown."""
        self._everywhere.discard(spectator)
