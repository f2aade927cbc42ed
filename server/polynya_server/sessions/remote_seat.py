"""The seat of a bot that is reached through the network."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from polynya_games import IllegalTurn, State
from polynya_protocol import RemoteProtocolError, check_info
from polynya_protocol.messages import (
    Forfeited,
    Legal,
    MatchOver,
    Move,
    Moved,
    Steps,
    Turn,
)
from polynya_server.match.answer import Answer
from polynya_server.match.legal_steps import legal_steps, steps_after
from polynya_server.match.seat import Fault, OnReply
from polynya_server.match.time_control import charge_ms
from polynya_server.records.replay import ForfeitRecord, TurnRecord
from polynya_server.services import Services
from polynya_server.sessions.move_errors import wrong_turn
from polynya_server.sessions.pending_turn import Question
from polynya_server.sessions.table import Player, Table
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.connection import Connection

MAX_TURN: Final = 2**53

_decode_info: Final = msgspec.msgpack.Decoder(dict[str, Any]).decode


class RemoteSeat:
    """One bot's seat in one match.

    Attributes:
        match: the match's id.
        number: the seat.
        ready: whether the bot has said that it is, on the connection that it has.
    """

    __slots__ = (
        "_expired",
        "_player",
        "_question",
        "_seq",
        "_services",
        "_table",
        "_unnamed",
        "match",
        "number",
        "ready",
    )

    def __init__(self, services: Services, player: Player, table: Table, number: int) -> None:
        self.match = table.match
        self.number = number
        self.ready = False
        self._services = services
        self._player = player
        self._table: Table | None = table
        self._question = Question(services, self._on_deadline)
        self._seq = 0
        self._expired = 0  # the turn that was not answered in time, 0 for none
        self._unnamed = 0  # moves that named no turn while this one is asked for

    def ask(self, number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:
        """See :class:`~polynya_server.match.seat.Seat`."""
        question, connection = self._question, self._player.connection
        self._unnamed = 0
        if connection is None:
            question.put(number, limit_ms, state, 0, on_reply)
            question.start_clock()
            return
        question.put(number, limit_ms, state, self._allowance_ns(connection), on_reply)
        if connection.send(self._turn(state, limit_ms), question.start_clock):
            question.start_clock()

    def withdraw(self) -> None:
        """See :class:`~polynya_server.match.seat.Seat`."""
        self._question.close(None)

    def moved(self, turn: TurnRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        connection = self._player.connection
        if connection is None or (turn.seat == self.number and not self._player.wants_moved):
            return
        event = Moved(
            self.match,
            self._next_seq(),
            turn.turn,
            turn.seat,
            turn.steps,
            turn.charged_ms,
            turn.remaining_ms,
        )
        connection.send(event)

    def forfeited(self, forfeit: ForfeitRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        connection = self._player.connection
        if connection is not None:
            event = Forfeited(
                match=self.match,
                seq=self._next_seq(),
                seat=forfeit.seat,
                reason=forfeit.reason,
                detail=forfeit.detail,
            )
            connection.send(event)

    def start(self) -> None:
        """Tell the bot that the match begins; measure the way there if that was never done."""
        connection = self._player.connection
        if connection is None or self._table is None:
            return
        connection.send(self._table.start(self._next_seq(), self.number))
        if connection.heartbeat.is_unmeasured and self._services.settings.lag_ms:
            connection.ping()

    def over(self, message: MatchOver) -> None:
        """Tell the bot the result, whose ``seq`` is put in, and leave the table."""
        connection = self._player.connection
        if connection is not None:
            connection.send(msgspec.structs.replace(message, seq=self._next_seq()))
        self._question.dispose()
        self._table = None

    def resume(self) -> None:
        """The bot is back: tell it how things stand, and ask again without a new clock."""
        connection, state = self._player.connection, self._question.state
        if connection is None or self._table is None:
            return
        connection.send(self._table.resume(self._next_seq(), self.number))
        self.on_ready()
        if state is None:
            return
        again = self._turn(state, self._question.left_ms)
        if connection.send(again, self._question.start_clock):
            self._question.start_clock()

    @property
    def running_ms(self) -> int | None:
        """How long the clock of the turn has been running that this bot is asked for."""
        return self._question.running_ms

    def answer(self, connection: Connection, move: Move) -> bool:
        """The bot has moved; False if that is not the turn that it is asked for."""
        question = self._question
        if not question.is_for(move.turn):
            return False
        timing = question.answered(connection.first_ns, connection.last_ns, connection.kernel)
        charged_ms = charge_ms(timing.last_ns - timing.flushed_ns, timing.allowance_ns)
        if charged_ms > timing.limit_ms:
            self._expired = question.number
            self.refuse(connection, question.number)
        info = self._info(connection, move) if len(move.info) else None
        question.close(Answer(move.steps, info, timing, self._without_turn()))
        return True

    def refuse_move(self, connection: Connection, move: Move) -> None:
        """The bot has sent a move that answers nothing."""
        if type(move.turn) is int:
            self.refuse(connection, move.turn)
            return
        self._unnamed += 1
        connection.error("not_your_turn", wrong_turn(move.turn), self.match)

    def refuse(self, connection: Connection, turn: int) -> None:
        """The bot has sent a message for a turn that it is not asked for."""
        number = turn if 0 < turn < MAX_TURN else None
        if number is not None and number == self._expired:
            sentence = f"the answer to turn {number} came after its time"
            connection.error("late", sentence, self.match, number)
            return
        asked = self._question.number
        question = f"turn {asked} is asked for" if asked else "it is not this bot's turn"
        sentence = f"{question}, and the message is for turn {turn}"
        connection.error("not_your_turn", sentence, self.match, number)

    def drain(self) -> None:
        """Deal with what the bot has sent already."""
        connection = self._player.connection
        if connection is not None:
            connection.drain()

    def on_ready(self) -> bool:
        """The bot is ready; False if it had said so before."""
        if self.ready or self._table is None:
            return False
        self.ready = True
        self._table.on_ready()
        return True

    def on_steps(self, connection: Connection, steps: Steps) -> bool:
        """The bot asks which steps may follow those ones; False if it may not ask so much."""
        state = self._question.state
        if state is None or not self._question.is_for(steps.turn):
            self.refuse(connection, steps.turn)
            return False
        try:
            legal, is_over = steps_after(state, steps.steps)
        except IllegalTurn as error:
            connection.error("malformed", f"no legal steps: {error}", self.match, steps.turn)
            return False
        connection.send(Legal(match=self.match, turn=steps.turn, legal=legal, turn_over=is_over))
        return self._question.take_free_query()

    def fail(self, fault: Fault) -> None:
        """The bot has done what it forfeits by."""
        question = self._question
        if question.is_open:
            question.close(Fault(fault.reason, fault.detail, question.unanswered()))
        elif self._table is not None:
            self._table.on_fault(self.number, fault)

    def on_lost(self) -> None:
        """The connection is gone; the clock goes on, and starts if the turn was on its way.

        Before all are ready, a bot is only when it is back.
        """
        self.ready = False
        self._question.start_clock()

    def not_back(self, fault: Fault) -> None:
        """The bot has been away for too long; before all are ready that is no more than silence."""
        if self._table is not None and not self._table.is_gathering:
            self.fail(fault)

    def _on_deadline(self) -> None:
        """The time is over; but an answer that has arrived in time counts, and is read first.

        After a delay of the server's loop a late answer may be its fault, so it is waited for as
        long as that could be; who never answers is out at last.
        """
        question = self._question
        number = question.number
        self.drain()
        if not number or question.number != number:
            return  # it has been answered
        if self._player.connection is None:
            why = f": {self._player.lost}" if self._player.lost else ""
            sentence = f"{self._player.name} was not back when its clock ran out{why}"
            self.fail(Fault("disconnected", sentence))
        elif not question.extend():
            self._expired = question.number
            sentence = f"no answer to turn {question.number} within {question.limit_ms} ms"
            sentence += self._without_turn()
            self.fail(Fault("timeout", sentence))

    def _without_turn(self) -> str:
        """How many moves came that named no turn, as the end of a sentence; empty without any."""
        count = self._unnamed
        if not count:
            return ""
        moves = "1 move" if count == 1 else f"{count} moves"
        return f"; {moves} came that named no turn"

    def _allowance_ns(self, connection: Connection) -> int:
        round_trip_ns = connection.heartbeat.round_trip_ns
        if round_trip_ns is None:
            return 0
        return min(round_trip_ns, self._services.settings.lag_ms * NS_PER_MS)

    def _info(self, connection: Connection, move: Move) -> dict[str, Any] | None:
        try:
            info = check_info(move.info, self._services.settings.max_info)
        except RemoteProtocolError as error:
            connection.error(error.code, error.message, self.match, self._question.number)
            return None
        return None if info is None else _decode_info(info)

    def _turn(self, state: State, remaining_ms: int) -> Turn:
        player = self._player
        return Turn(
            self.match,
            self._next_seq(),
            self._question.number,
            remaining_ms,
            state.to_json() if player.wants_state else None,
            legal_steps(state) if player.wants_legal else None,
        )

    def _next_seq(self) -> int:
        seq = self._seq
        self._seq = seq + 1
        return seq
