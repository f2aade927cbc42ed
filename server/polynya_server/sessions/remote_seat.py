"""The seat of a bot on the network: sends it the match's messages and handles its answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from polynya_common.reasons import Reason
from polynya_games import IllegalTurn, State, seats
from polynya_protocol import RemoteProtocolError, check_info
from polynya_protocol.messages import Legal, Move, RatingChange, Software, Steps, Turn
from polynya_server.match import match_messages as messages
from polynya_server.match.match_messages import legal_steps, steps_after
from polynya_server.match.pending_turn import PendingTurn
from polynya_server.match.seat import Answer, Fault, MatchContext, OnReply, Transition
from polynya_server.match.turn_charge import lag_allowance_ns
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord
from polynya_server.sessions import move_errors
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay
from polynya_server.transport.arrival import Arrival
from polynya_server.transport.connection import Connection

if TYPE_CHECKING:
    from polynya_server.sessions.session import Session

MAX_TURN: Final = 2**53

_decode_info: Final = msgspec.msgpack.Decoder(dict[str, Any]).decode


class RemoteSeat:
    """One bot's seat in one match.

    Args:
        session: the bot's.
        match: the match's id.
        seat_index: the seat.
        deadlines: keeps the turn's deadline.
        loop_delay: knows how late the server itself was.
        settings: for ``lag_ms`` and ``max_info``.

    Attributes:
        match, seat_index: as above.
        ready: whether the bot has sent `ready` on its present connection.
    """

    __slots__ = (
        "_expired",
        "_match",
        "_pending",
        "_seq",
        "_session",
        "_settings",
        "_unnamed",
        "match",
        "ready",
        "seat_index",
    )

    def __init__(
        self,
        session: Session,
        match: str,
        seat_index: int,
        deadlines: DeadlineQueue,
        loop_delay: LoopDelay,
        settings: ServerSettings,
    ) -> None:
        self.match = match
        self.seat_index = seat_index
        self.ready = False
        self._session = session
        self._settings = settings
        self._match: MatchContext | None = None
        self._pending = PendingTurn(deadlines, loop_delay, self._on_deadline)
        self._seq = 0
        self._expired = 0  # the turn that was not answered in time, 0 for none
        self._unnamed = 0  # moves without a turn's number during the present turn

    # Called by the referee and the match: see Participant.

    def ask(self, turn_number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:
        """See :class:`~polynya_server.match.seat.Seat`."""
        pending, connection = self._pending, self._session.connection
        self._unnamed = 0
        if connection is None:
            pending.start(turn_number, limit_ms, state, 0, on_reply)
            pending.start_clock()
            return
        round_trip_ns = connection.heartbeat.round_trip_ns
        allowance_ns = lag_allowance_ns(round_trip_ns, self._settings.lag_ms)
        pending.start(turn_number, limit_ms, state, allowance_ns, on_reply)
        connection.send(self._turn(state, limit_ms), pending.start_clock)

    def withdraw(self) -> None:
        """See :class:`~polynya_server.match.seat.Seat`."""
        self._pending.resolve(None)

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        session, match, index = self._session, self._match, self.seat_index
        if session.connection is None or match is None:
            return
        if session.wants_moved or within is not None or turn.seat != index:
            seq = self._next_seq()
            session.connection.send(
                messages.moved_message(self.match, seq, turn, index, within, match.terms)
            )

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        connection, match, index = self._session.connection, self._match, self.seat_index
        if connection is not None and match is not None:
            seq = self._next_seq()
            connection.send(
                messages.forfeited_message(self.match, seq, forfeit, index, within, match.terms)
            )

    @property
    def software(self) -> Software | None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        return self._session.software

    @property
    def running_ms(self) -> int | None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        return self._pending.running_ms

    def join(self, match: MatchContext) -> None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        self._match = match

    def invite(self) -> None:
        """See :class:`~polynya_server.match.seat.Participant`.

        Measures the round trip if that has not been done yet.
        """
        connection = self._session.connection
        if connection is None or self._match is None:
            return
        connection.send(messages.match_start(self._match, self._next_seq(), self.seat_index))
        if connection.heartbeat.is_unmeasured and self._settings.lag_ms:
            connection.ping()

    def read_pending(self) -> None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        connection = self._session.connection
        if connection is not None:
            connection.reader.read_arrived()

    def why_not_ready(self, ready_ms: int) -> Reason:
        """See :class:`~polynya_server.match.seat.Participant`."""
        session = self._session
        name, lost = session.name, session.lost
        if session.connection:
            return Reason.of("not_ready", bot=name, limit_ms=ready_ms, why=lost)
        return Reason.of("not_there", bot=name, limit_ms=ready_ms, why=lost)

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        """See :class:`~polynya_server.match.seat.MatchListener`; the seat is left."""
        connection = self._session.connection
        if connection is not None:
            connection.send(messages.match_over(record, changes, self._next_seq()))
        self._pending.cancel()
        self._match = None
        self._session.leave(self.match)

    # Called by the session, when the bot acts.

    def resume(self) -> None:
        """Send the reconnected bot the match's state, and ask again; the clock goes on."""
        connection, state, match = self._session.connection, self._pending.state, self._match
        if connection is None or match is None:
            return
        connection.send(messages.match_resume(match, self._next_seq(), self.seat_index))
        self.on_ready()
        if state is None:
            return
        again = self._turn(state, self._pending.left_ms)
        connection.send(again, self._pending.start_clock)

    def answer(self, connection: Connection, move: Move, arrival: Arrival) -> bool:
        """Take the bot's move; False if it does not answer the pending turn."""
        pending = self._pending
        if not pending.is_for(move.turn):
            return False
        timing = pending.answered(arrival.first_ns, arrival.last_ns, arrival.by_kernel)
        if timing.charged_ms > timing.limit_ms:
            self._expired = pending.turn_number
            self.refuse(connection, pending.turn_number)
        info = self._info(connection, move) if len(move.info) else None
        pending.resolve(Answer(move.steps, info, timing, self._unnamed))
        return True

    def refuse_move(self, connection: Connection, move: Move) -> None:
        """Refuse a move that answers no turn."""
        if type(move.turn) is int:
            self.refuse(connection, move.turn)
            return
        self._unnamed += 1
        connection.error("not_your_turn", move_errors.wrong_turn(move.turn), self.match)

    def refuse(self, connection: Connection, turn: int) -> None:
        """Refuse a message about a turn that is not pending."""
        turn_number = turn if 0 < turn < MAX_TURN else None
        if turn_number is not None and turn_number == self._expired:
            connection.error("late", move_errors.late_turn(turn_number), self.match, turn_number)
            return
        sentence = move_errors.other_turn(self._pending.turn_number, turn)
        connection.error("not_your_turn", sentence, self.match, turn_number)

    def on_ready(self) -> bool:
        """Note that the bot is ready; False if it had said so before."""
        if self.ready or self._match is None:
            return False
        self.ready = True
        self._match.on_ready()
        return True

    def on_steps(self, connection: Connection, steps: Steps) -> bool:
        """Answer a query for the legal steps after some steps; False if it must be charged."""
        state = self._pending.state
        if state is None or not self._pending.is_for(steps.turn):
            self.refuse(connection, steps.turn)
            return False
        match = self._match
        if match is not None and match.terms.waits and steps.steps:
            tell = partial(self._tell_later, connection, steps.turn)
            match.look_up(self.seat_index, partial(self._legal_after, state, steps), tell)
            return self._pending.take_free_query()
        found = self._legal_after(state, steps)
        self._tell_legal(connection, steps.turn, found)
        return isinstance(found, Legal) and self._pending.take_free_query()

    def _legal_after(self, state: State, steps: Steps) -> Legal | Reason:
        """The answer to a query, or why it is refused."""
        try:
            legal, is_over = steps_after(state, steps.steps, self.seat_index)
        except IllegalTurn as error:
            return Reason.of("no_legal_steps", why=str(error))
        return Legal(match=self.match, turn=steps.turn, legal=legal, turn_over=is_over)

    def _tell_later(self, connection: Connection, turn: int, found: Legal | Reason) -> None:
        """Tell what was asked of waiting rules, if the bot still waits for it."""
        if connection is self._session.connection and self._pending.is_for(turn):
            self._tell_legal(connection, turn, found)

    def _tell_legal(self, connection: Connection, turn: int, found: Legal | Reason) -> None:
        if isinstance(found, Legal):
            connection.send(found)
        else:
            connection.error("malformed", found, self.match, turn)

    def fail(self, fault: Fault) -> None:
        """Forfeit the seat for ``fault``."""
        pending = self._pending
        if pending.is_open:
            pending.resolve(Fault(fault.reason, fault.detail, pending.unanswered()))
        elif self._match is not None:
            self._match.on_fault(self.seat_index, fault)

    def on_lost(self) -> None:
        """Handle a lost connection: the clock goes on, or starts if the turn was in transit.

        In the ready phase a disconnected bot is not ready until it is back.
        """
        self.ready = False
        self._pending.start_clock()

    def not_back(self, fault: Fault) -> None:
        """Forfeit a bot that was away for too long; in the ready phase it only counts as silent."""
        if self._match is not None and not self._match.is_gathering:
            self.fail(fault)

    def _on_deadline(self) -> None:
        """Handle the turn's timeout: first read an answer that arrived in time; it counts.

        If the loop was late, wait up to twice the delay for an answer; then forfeit.
        """
        pending = self._pending
        turn_number = pending.turn_number
        self.read_pending()
        if not turn_number or pending.turn_number != turn_number:
            return  # it has been answered
        if self._session.connection is None:
            session = self._session
            why = Reason.of("not_back_in_time", bot=session.name, why=session.lost)
            self.fail(Fault("disconnected", why))
        elif not pending.extend():
            self._expired = turn_number
            why = Reason.of(
                "no_answer",
                turn=turn_number,
                limit_ms=pending.limit_ms,
                unnamed=self._unnamed or None,
            )
            self.fail(Fault("timeout", why))

    def _info(self, connection: Connection, move: Move) -> dict[str, Any] | None:
        try:
            info = check_info(move.info, self._settings.max_info)
        except RemoteProtocolError as error:
            connection.error(error.code, error.message, self.match, self._pending.turn_number)
            return None
        return None if info is None else _decode_info(info)

    def _turn(self, state: State, remaining_ms: int) -> Turn:
        session = self._session
        return Turn(
            self.match,
            self._next_seq(),
            self._pending.turn_number,
            remaining_ms,
            seats.view(state, self.seat_index) if session.wants_state else None,
            legal_steps(state, self.seat_index) if session.wants_legal else None,
        )

    def _next_seq(self) -> int:
        seq = self._seq
        self._seq = seq + 1
        return seq
