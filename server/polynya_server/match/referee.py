"""The referee: asks the seats in turn, keeps the clocks, applies the rules, declares forfeits.

It knows seats, not bots: no networking, no messages, no exceptions from players.

The match is a generator, run by the calls that bring the seats' replies: waking a task for each
would cost a tenth of a turn (``docs/design/006-referee-in-callbacks.md``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence

import trio

from polynya_common.reasons import Reason
from polynya_games import IllegalForfeit, IllegalTurn, State, apply_turn
from polynya_server.errors import cause_of_refusal
from polynya_server.match.late_answer import is_server_fault, why_annulled, why_late
from polynya_server.match.seat import Answer, Fault, Listener, Reply, Seat
from polynya_server.match.time_control import MatchClock
from polynya_server.match.turn_records import forfeit_record, played_steps, turn_record
from polynya_server.records import EventLog


class Referee:
    """Plays one match.

    A seat that forfeits during another seat's turn leaves the match when that turn ends, so that
    the position does not change while a player thinks; at once if its forfeit ends the match.

    Args:
        state: the initial position.
        seats: the players by seat.
        clock: their clocks.
        began_ns: when the match began; the record's times count from here.
        game: the name of the game, for reasons.

    Attributes:
        state: the position, always between turns.
        turn_number: number of the current or last turn, from 1; 0 before the first.
        asked: the seat that is being asked, None between turns.
        events: the turns and forfeits so far.
        annulled: why the match was annulled, or None.
        aborted: why it was aborted, or None.
    """

    def __init__(
        self,
        state: State,
        seats: Sequence[Seat],
        clock: MatchClock,
        began_ns: int,
        game: str = "",
    ) -> None:
        self.state = state
        self._game = game
        self.turn_number = 0
        self.asked: int | None = None
        self.events = EventLog()
        self.annulled: Reason | None = None
        self.aborted: Reason | None = None
        self.clock = clock
        self._seats = seats
        self._listeners: list[Listener] = [*seats]
        self._began_ns = began_ns
        self._faults: list[tuple[int, Fault]] = []
        self._turns = self._turn_by_turn()
        self._over = trio.Event()
        self._error: Exception | None = None

    def add_listener(self, listener: Listener) -> None:
        """Send ``listener`` future events, after the seats have them."""
        self._listeners.append(listener)

    def clear_listeners(self) -> None:
        """Stop sending events, and drop the references to the listeners and seats."""
        self._listeners.clear()

    async def play(self) -> None:
        """Play until the game ends or the match is ``annulled`` or ``aborted``.

        Raises:
            Exception: raised by the game, or by a seat that was asked.
        """
        try:
            self.begin()
            await self._over.wait()
        finally:
            self._turns.close()
        if self._error is not None:
            raise self._error

    def begin(self) -> None:
        """Ask for the first turn; the seats' replies drive the rest."""
        self._go_on(None)

    def _turn_by_turn(self) -> Generator[int, Reply, None]:
        """Play the match as a generator: yields the seat to ask, receives its reply."""
        self._settle()
        while (seat := self.state.to_move) is not None and not (self.annulled or self.aborted):
            self.turn_number += 1
            reply = yield seat
            if type(reply) is Answer:
                self._judge(seat, reply)
            elif type(reply) is Fault:
                self._faults.append((seat, reply))
            self._settle()

    def _go_on(self, reply: Reply) -> None:
        """Take the reply of the seat that is asked, and ask the next one.

        The caller serves a connection or a deadline: an error here is this match's.
        """
        self.asked = None
        try:
            self.asked = seat = self._turns.send(reply)
            limit_ms = self.clock.limit_ms(seat)
            self._seats[seat].ask(self.turn_number, limit_ms, self.state, self._go_on)
        except StopIteration:
            self._over.set()
        except Exception as error:
            self._error = error
            self._turns.close()
            self._over.set()

    def report(self, seat: int, fault: Fault) -> None:
        """Note the fault of a seat that is not being asked."""
        self._faults.append((seat, fault))
        if self.asked is not None and self._ends_by_faults():
            self._seats[self.asked].withdraw()

    def abort(self, why: Reason) -> None:
        """Abort the match, without a result."""
        self.aborted = why
        if self.asked is not None:
            self._seats[self.asked].withdraw()

    def declare(self, seat: int, fault: Fault) -> None:
        """Record a forfeit and tell all listeners."""
        forfeit = forfeit_record(fault, seat, self.turn_number, self._began_ns)
        self.events.append(forfeit)
        for listener in self._listeners:
            listener.forfeited(forfeit)

    def _settle(self) -> None:
        """Forfeit the seats with faults, in the order of their faults."""
        if not self._faults:
            return
        faults, self._faults = self._faults, []
        for seat, fault in faults:
            try:
                self.state = self.state.forfeit(seat)
            except IllegalForfeit:
                continue  # it is out already, by the rules or by an earlier fault
            self.declare(seat, fault)

    def _ends_by_faults(self) -> bool:
        state = self.state
        for seat, _ in self._faults:
            with contextlib.suppress(IllegalForfeit):
                state = state.forfeit(seat)
        return state.to_move is None

    def _judge(self, seat: int, answer: Answer) -> None:
        timing = answer.timing
        overrun_ms = timing.charged_ms - timing.limit_ms
        if overrun_ms <= 0:
            self._play(seat, answer)
        elif is_server_fault(overrun_ms, timing.loop_delay_ns):
            self.annulled = why_annulled(self.turn_number, overrun_ms, timing.loop_delay_ns)
        else:
            detail = why_late(self.turn_number, overrun_ms, answer)
            self._faults.append((seat, Fault("timeout", detail, timing)))

    def _play(self, seat: int, answer: Answer) -> None:
        try:
            state = apply_turn(self.state, answer.steps)
        except IllegalTurn as error:
            why = cause_of_refusal(error, self._game)
            fault = Fault("illegal_move", why, answer.timing, answer.steps)
            self._faults.append((seat, fault))
            return
        self.clock.charge(seat, answer.timing.charged_ms)
        steps = played_steps(self.state, state, answer.steps)
        remaining_ms = self.clock.remaining_ms()
        turn = turn_record(answer, steps, self.turn_number, seat, remaining_ms, self._began_ns)
        self.state = state
        self.events.append(turn)
        for listener in self._listeners:
            listener.moved(turn)
