"""A bot's session; it outlives its connections while the bot has matches."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable
from typing import Final

from polynya_common.reasons import Cause, Reason, cause_of
from polynya_protocol import RemoteProtocolError
from polynya_protocol.errors import printable
from polynya_protocol.messages import (
    FromClient,
    Hello,
    Move,
    Ready,
    Resign,
    Software,
    Steps,
)
from polynya_server.log import log
from polynya_server.match.seat import Fault
from polynya_server.sessions.move_errors import wrong_match
from polynya_server.sessions.remote_seat import RemoteSeat
from polynya_server.sessions.tokens import Identity
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import Deadline, DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.arrival import Arrival
from polynya_server.transport.connection import Connection

REMEMBERED_MATCHES: Final = 256
"""How many finished match ids are remembered; a move for an older one is `unknown_match`."""


class Session:
    """The session of a bot, or of one process of a bot that its host starts several times.

    Args:
        identity: the bot, and which of its processes.
        settings: the server's.
        deadlines: keeps its deadlines.
        loop_delay: knows how late the server itself was.
        on_change: called when the bot connects, leaves, or becomes free.

    Attributes:
        name: its name.
        instance: which of the bot's processes; 1 unless it has several.
        session_id: the id in its ``welcome``.
        connection: its connection, None while it is away.
        lost: how it lost the last one; None while it is connected, or before it ever was.
        games: the games it plays, None for any.
        concurrency: how many matches it plays at the same time.
        software: its own name and version, from its `hello`.
        wants_state, wants_legal, wants_moved: the optional message parts it has asked for.
        seats: its seats by match.
        finished: the ids of its last matches that are over, None before the first.
    """

    __slots__ = (
        "_away",
        "_deadlines",
        "_loop_delay",
        "_on_change",
        "_settings",
        "concurrency",
        "connection",
        "finished",
        "games",
        "instance",
        "lost",
        "name",
        "seats",
        "session_id",
        "software",
        "wants_legal",
        "wants_moved",
        "wants_state",
    )

    def __init__(
        self,
        identity: Identity,
        settings: ServerSettings,
        deadlines: DeadlineQueue,
        loop_delay: LoopDelay,
        on_change: Callable[[Session], None],
    ) -> None:
        self.name, self.instance = identity
        self.session_id = secrets.token_hex(8)
        self.connection: Connection | None = None
        self.lost: Cause | None = None
        self.games: frozenset[str] | None = None
        self.concurrency = 1
        self.software: Software | None = None
        self.wants_state = self.wants_legal = self.wants_moved = False
        self.seats: dict[str, RemoteSeat] = {}
        self.finished: deque[str] | None = None
        self._settings = settings
        self._deadlines = deadlines
        self._loop_delay = loop_delay
        self._on_change = on_change
        self._away: Deadline | None = None

    @property
    def in_play(self) -> int:
        """How many matches it plays now."""
        return len(self.seats)

    @property
    def is_free(self) -> bool:
        """Whether it would take one more match."""
        return len(self.seats) < self.concurrency

    def attach(self, connection: Connection, hello: Hello) -> None:
        """Use ``connection`` as the bot's connection from now on."""
        self.connection = connection
        self.lost = None
        connection.handler = self
        if self._away is not None:
            self._away.clear()
        self._apply(hello)
        log.repeated("info", "a bot is connected", bot=self.name, address=connection.address)

    def resume(self) -> None:
        """Send the reconnected bot the state of its matches."""
        for seat in list(self.seats.values()):
            seat.resume()
        self._on_change(self)

    def take_seat(self, match: str, seat_index: int) -> RemoteSeat:
        """Create the bot's seat in a match that is about to begin."""
        seat = RemoteSeat(
            self, match, seat_index, self._deadlines, self._loop_delay, self._settings
        )
        self.seats[match] = seat
        return seat

    def leave(self, match: str) -> None:
        """Leave a match that is over."""
        del self.seats[match]
        if self.finished is None:
            self.finished = deque(maxlen=REMEMBERED_MATCHES)
        self.finished.append(match)
        self._on_change(self)

    def close(self) -> None:
        """Close the session: nothing uses it any more."""
        if self._away is not None:
            self._away.close()

    def on_message(self, connection: Connection, message: FromClient, arrival: Arrival) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        if type(message) is Move:
            self._on_move(connection, message, arrival)
        elif isinstance(message, Ready):
            self._on_ready(connection, message)
        elif isinstance(message, Steps):
            self._on_steps(connection, message)
        elif isinstance(message, Resign) and (seat := self._seat(connection, message.match)):
            seat.fail(Fault("resigned", Reason.of("resigned", bot=self.name)))

    def on_broken(self, connection: Connection, error: RemoteProtocolError) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        log.repeated(
            "warning",
            "a bot broke the protocol",
            bot=self.name,
            code=error.code,
            error=error.message,
        )
        self._detach(connection)
        self._fail_all(
            Fault(
                "protocol_error",
                Reason.of("broke_protocol", bot=self.name, error=error.code, why=cause_of(error)),
            )
        )
        self._on_change(self)

    def on_goodbye(self, connection: Connection, reason: str | None) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        log.repeated("info", "a bot said goodbye", bot=self.name, reason=reason)
        self._detach(connection)
        if reason:
            why = Reason.of("said_goodbye_because", bot=self.name, words=reason)
        else:
            why = Reason.of("said_goodbye", bot=self.name)
        self._fail_all(Fault("disconnected", why))
        self._on_change(self)

    def on_lost(self, connection: Connection, why: Cause) -> None:
        """See :class:`~polynya_server.transport.base.ConnectionHandler`."""
        log.repeated("info", "a bot was disconnected", bot=self.name, why=str(why))
        self._detach(connection)
        self.lost = why
        if self.seats:
            if self._away is None:
                self._away = self._deadlines.new(self._on_away_too_long)
            wait_ns = self._settings.reconnect_ms * NS_PER_MS
            self._away.set(self._deadlines.now() + wait_ns)
            for seat in list(self.seats.values()):
                seat.on_lost()
        self._on_change(self)

    def _detach(self, connection: Connection) -> None:
        if self.connection is connection:
            self.connection = None

    def _fail_all(self, fault: Fault) -> None:
        for seat in list(self.seats.values()):
            seat.fail(fault)

    def _on_away_too_long(self) -> None:
        away_ms = self._settings.reconnect_ms
        why = Reason.of("not_back", bot=self.name, limit_ms=away_ms, why=self.lost)
        fault = Fault("disconnected", why)
        for seat in list(self.seats.values()):
            seat.not_back(fault)

    def _apply(self, hello: Hello) -> None:
        self.games = None if hello.games is None else frozenset(hello.games)
        self.concurrency = min(hello.concurrency or 1, self._settings.max_concurrency)
        self.software = hello.software
        wants = [want for want in hello.wants or () if isinstance(want, str)]
        self.wants_state = "state" in wants
        self.wants_legal = "legal" in wants
        self.wants_moved = "moved" in wants

    def _on_move(self, connection: Connection, move: Move, arrival: Arrival) -> None:
        seat = self.seats.get(move.match) if isinstance(move.match, str) else None
        if seat is not None and seat.answer(connection, move, arrival):
            return
        connection.charge_message()
        if seat is None:
            self._refuse_match(connection, move.match)
        else:
            seat.refuse_move(connection, move)

    def _on_ready(self, connection: Connection, ready: Ready) -> None:
        seat = self._seat(connection, ready.match)
        if seat is None or not seat.on_ready():
            connection.charge_message()

    def _on_steps(self, connection: Connection, steps: Steps) -> None:
        seat = self.seats.get(steps.match)
        if seat is None:
            connection.charge_message()
            self._refuse_match(connection, steps.match)
        elif not seat.on_steps(connection, steps):
            connection.charge_message()

    def _seat(self, connection: Connection, match: str) -> RemoteSeat | None:
        """The seat in the match that a message names; matches that are over are ignored."""
        seat = self.seats.get(match)
        if seat is None and match not in (self.finished or ()):
            self._refuse_match(connection, match)
        return seat

    def _refuse_match(self, connection: Connection, match: object) -> None:
        shown = printable(match, 100) if isinstance(match, str) else None
        if shown is not None and match in (self.finished or ()):
            connection.error("late", f"the match {shown} is over", match=shown)
        else:
            sentence = wrong_match(match) if shown is None else f"this bot has no match {shown}"
            connection.error("unknown_match", sentence, match=shown)
