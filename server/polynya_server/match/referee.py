"""The referee: asks the seats in turn, keeps the clocks, applies the rules, declares forfeits.

It knows seats, not bots: no networking, no messages, no exceptions from players. A turn of one
seat is a joint turn in which that seat alone acts.

The match is a generator, run by the calls that bring the seats' replies: waking a task for each
would cost a tenth of a turn (``docs/design/006-referee-in-callbacks.md``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from time import monotonic_ns

import trio

from polynya_common.reasons import Reason
from polynya_games import IllegalForfeit, IllegalTurn, RulesFailed, State, Step, apply_turn
from polynya_games.seats import acting, has_joint_turns, staying
from polynya_games.turns import apply_joint, forfeit_together, joint_step
from polynya_server.errors import cause_of_refusal
from polynya_server.match.late_answer import (
    is_server_fault,
    rules_failure,
    why_annulled,
    why_late,
    why_rules_failed,
)
from polynya_server.match.seat import Answer, Fault, Listener, Reply, Seat, Transition
from polynya_server.match.time_control import MatchClock
from polynya_server.match.turn_records import Steps, forfeit_record, played_steps, turn_record
from polynya_server.records import EventLog, ForfeitRecord, RulesFailure, TurnRecord


class Referee:
    """Plays one match.

    A seat that forfeits during another seat's turn leaves the match when that turn ends, so that
    the position does not change while a player thinks; at once if its forfeit ends the match.

    In a joint turn every seat that has a fault leaves in the turn's one transition. Resignations
    that alone end the match end it at once, without the transition; answers and other faults of the
    turn count for nothing then. So it does not matter which answer comes first (wire contract, "On
    the wire").

    Args:
        state: the initial position.
        seats: the players by seat.
        clock: their clocks.
        began_ns: when the match began; the record's times count from here.
        game: the name of the game, for reasons.
        is_plain: whether everybody sees everything, and one player moves at a time.
        now: the monotonic clock, for when a joint turn began.

    Attributes:
        state: the position, always between turns.
        turn_number: number of the current or last turn, from 1; 0 before the first.
        asked: the seats of the turn that is being asked for, ascending; none between turns.
        asked_ns: when they were asked, in a joint turn.
        events: the turns and forfeits so far.
        annulled: why the match was annulled, or None.
        rules_failure: what the rules were asked when they failed, or None.
        aborted: why it was aborted, or None.
    """

    def __init__(
        self,
        state: State,
        seats: Sequence[Seat],
        clock: MatchClock,
        began_ns: int,
        game: str = "",
        is_plain: bool = True,
        now: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.state = state
        self._game = game
        self.turn_number = 0
        self.asked: tuple[int, ...] = ()
        self.asked_ns = 0
        self.now = now
        self.events = EventLog()
        self.annulled: Reason | None = None
        self.rules_failure: RulesFailure | None = None
        self.aborted: Reason | None = None
        self.clock = clock
        self._seats = seats
        self._listeners: list[Listener] = [*seats]
        self._began_ns = began_ns
        self._is_plain = is_plain
        self._faults: list[tuple[int, Fault]] = []
        self._replies: dict[int, Reply] = {}
        self._movers: set[int] = set()  # the seats that led to the question that failed
        self._takers: list[Callable[[Reply], None]] = [
            partial(self._take, seat) for seat in range(len(seats))
        ]
        self._turns = self._turn_by_turn()
        self._over = trio.Event()
        self._error: Exception | None = None

    def add_listener(self, listener: Listener) -> None:
        """Send ``listener`` future events, after the seats have them."""
        self._listeners.append(listener)

    def clear_listeners(self) -> None:
        """Stop sending events, and drop the references to the listeners and seats."""
        self._listeners.clear()
        self._takers.clear()

    async def play(self) -> None:
        """Play until the game ends or the match is ``annulled`` or ``aborted``.

        If the rules fail, the match is annulled.

        Raises:
            Exception: raised by the game, or by a seat that was asked.
        """
        try:
            self.begin()
            await self._over.wait()
        finally:
            self._turns.close()
        self._raise_error()

    def _raise_error(self) -> None:
        """Raise what ended the match; if its rules failed, annul it instead."""
        error = self._error
        if isinstance(error, RulesFailed):
            self._annul(error)
        elif error is not None:
            raise error

    def _annul(self, error: RulesFailed) -> None:
        """End the match because the rules have failed: no seat is to blame."""
        self._faults = []
        if self.annulled is None and self.aborted is None:
            seats = sorted(self._movers or self._replies)
            self.annulled = why_rules_failed(self.turn_number, error, seats)
            self.rules_failure = rules_failure(error, seats)
        self._withdraw()

    def begin(self) -> None:
        """Ask for the first turn; the seats' replies drive the rest."""
        self._go_on({})

    def report(self, seat: int, fault: Fault) -> None:
        """Note the fault of a seat that is not being asked, or has answered already."""
        self._faults.append((seat, fault))
        self._end_if_decided()

    def abort(self, why: Reason) -> None:
        """Abort the match, without a result."""
        self.aborted = why
        self._withdraw()

    def declare(self, seat: int, fault: Fault) -> None:
        """Record a forfeit between turns, and tell all listeners."""
        forfeit = forfeit_record(fault, seat, self.turn_number, self._began_ns)
        self._tell([forfeit])

    # Asking, and taking the replies.

    def _turn_by_turn(self) -> Generator[tuple[int, ...], Mapping[int, Reply], None]:
        """Play the match as a generator: yields the seats to ask, receives their replies."""
        self._settle()
        while (seats := acting(self.state)) and not (self.annulled or self.aborted):
            self.turn_number += 1
            replies = yield seats
            self._end_turn(replies)
            self._settle()

    def _go_on(self, replies: Mapping[int, Reply]) -> None:
        """Take the replies of all seats that were asked, and ask the next ones.

        The caller serves a connection or a deadline: an error here is this match's.
        """
        self.asked = ()
        try:
            turns = self._turns
            asked = turns.send(replies) if self.turn_number else next(turns)
            self.asked, self._replies = asked, {}
            if len(asked) > 1:
                self.asked_ns = self.now()
            for seat in asked:
                limit_ms = self.clock.limit_ms(seat)
                self._seats[seat].ask(self.turn_number, limit_ms, self.state, self._takers[seat])
        except StopIteration:
            self._over.set()
        except Exception as error:
            self._error = error
            self._turns.close()
            self._over.set()

    def _take(self, seat: int, reply: Reply) -> None:
        """Take the reply of one seat; the last one ends the turn."""
        replies = self._replies
        replies[seat] = reply
        if len(replies) == len(self.asked):
            self._go_on(replies)
        elif type(reply) is Fault:
            self._end_if_decided()

    def _withdraw(self) -> None:
        """Ask the seats that have not replied no longer; the last one's reply ends the turn."""
        waiting = [seat for seat in self.asked if seat not in self._replies]
        for seat in waiting:
            self._seats[seat].withdraw()

    def _end_if_decided(self) -> None:
        """End the match at once if faults decide it, without an answer of the other seats."""
        if self.asked and self._ends_by(self._deciding_faults()):
            self._withdraw()

    def _deciding_faults(self) -> list[tuple[int, Fault]]:
        """The faults that end the match at once, if they end it.

        In a joint turn these are resignations alone: a late answer or an illegal step must not
        decide a match in which the other seats may have the same fault.
        """
        return self._faults if len(self.asked) == 1 else self._resignations()

    def _resignations(self) -> list[tuple[int, Fault]]:
        """The resignations of this turn."""
        replied = [(seat, one) for seat, one in self._replies.items() if type(one) is Fault]
        return [(seat, one) for seat, one in self._faults + replied if one.reason == "resigned"]

    def _ends_by(self, faults: Sequence[tuple[int, Fault]]) -> bool:
        state = self.state
        for seat, _ in faults:
            with contextlib.suppress(IllegalForfeit):
                state = state.forfeit(seat)
        return state.to_move is None

    # Ending a turn.

    def _end_turn(self, replies: Mapping[int, Reply]) -> None:
        """Judge the replies, and make the game's one transition if the turn was played."""
        if len(replies) > 1 and self._ends_by(resignations := self._resignations()):
            self._faults = resignations
            return
        answers: dict[int, Answer] = {}
        for seat, reply in sorted(replies.items()) if len(replies) > 1 else replies.items():
            if type(reply) is Answer:
                self._judge(seat, reply, answers)
            elif type(reply) is Fault:
                self._faults.append((seat, reply))
        if self.annulled or self.aborted:
            return
        if len(replies) == 1:
            for seat, answer in answers.items():
                self._play_turn(seat, answer)
        elif None not in replies.values():
            self._play_joint_turn(answers)

    def _judge(self, seat: int, answer: Answer, answers: dict[int, Answer]) -> None:
        """Put an answer in time among the ``answers``; else note the fault."""
        timing = answer.timing
        overrun_ms = timing.charged_ms - timing.limit_ms
        if overrun_ms <= 0:
            answers[seat] = answer
        elif is_server_fault(overrun_ms, timing.loop_delay_ns):
            self.annulled = why_annulled(self.turn_number, overrun_ms, timing.loop_delay_ns)
        else:
            detail = why_late(self.turn_number, overrun_ms, answer)
            self._faults.append((seat, Fault("timeout", detail, timing)))

    def _play_turn(self, seat: int, answer: Answer) -> None:
        before = self.state
        try:
            self.state = apply_turn(before, answer.steps)
        except IllegalTurn as error:
            self._refuse(seat, answer, error)
            return
        self.clock.charge(seat, answer.timing.charged_ms)
        steps = played_steps(before, self.state, answer.steps)
        self._tell([self._turn_record(seat, answer, steps, self.clock.remaining_ms())])

    def _play_joint_turn(self, answers: Mapping[int, Answer]) -> None:
        """Make the transition of all seats: first who leaves, then who has played, ascending."""
        steps: dict[int, Step] = {}
        for seat, answer in answers.items():
            try:
                steps[seat] = joint_step(self.state, seat, answer.steps)
            except IllegalTurn as error:
                self._refuse(seat, answer, error)
        leaving = self._take_leaving()
        played = {seat: step for seat, step in steps.items() if seat not in leaving}
        self.state = apply_joint(self.state, played, tuple(leaving))
        for seat in played:
            self.clock.charge(seat, answers[seat].timing.charged_ms)
        remaining_ms = self.clock.remaining_ms()
        turns = [
            self._turn_record(seat, answers[seat], [list(step)], remaining_ms)
            for seat, step in played.items()
        ]
        self._tell([*self._forfeit_records(leaving), *turns])

    def _refuse(self, seat: int, answer: Answer, error: IllegalTurn) -> None:
        why = cause_of_refusal(error, self._game)
        self._faults.append((seat, Fault("illegal_move", why, answer.timing, answer.steps)))

    def _take_leaving(self) -> dict[int, Fault]:
        """The seats that leave in this turn, ascending, each with its first fault.

        A seat that the rules have put out of the match cannot forfeit: its fault does not count.
        """
        faults, self._faults = self._faults, []
        leaving: dict[int, Fault] = {}
        can_leave = staying(self.state)
        for seat, fault in faults:
            if seat in can_leave:
                leaving.setdefault(seat, fault)
        return dict(sorted(leaving.items()))

    def _settle(self) -> None:
        """Forfeit the seats with faults between turns, in the order of their faults."""
        if not self._faults:
            return
        if has_joint_turns(self.state):
            self._settle_together()
            return
        faults, self._faults = self._faults, []
        for seat, fault in faults:
            try:
                self.state = self.state.forfeit(seat)
            except IllegalForfeit:
                continue  # it is out already, by the rules or by an earlier fault
            self.declare(seat, fault)

    def _settle_together(self) -> None:
        """The same in a game with joint turns: who leaves together shares a rank."""
        leaving = self._take_leaving()
        if leaving and acting(self.state):
            self.state = forfeit_together(self.state, tuple(leaving))
            self._tell(self._forfeit_records(leaving))

    # Recording and telling.

    def _forfeit_records(self, faults: Mapping[int, Fault]) -> list[ForfeitRecord]:
        return [
            forfeit_record(fault, seat, self.turn_number, self._began_ns)
            for seat, fault in faults.items()
        ]

    def _turn_record(
        self, seat: int, answer: Answer, steps: Steps, remaining_ms: list[int | None]
    ) -> TurnRecord:
        return turn_record(answer, steps, self.turn_number, seat, remaining_ms, self._began_ns)

    def _tell(self, events: Sequence[TurnRecord | ForfeitRecord]) -> None:
        """Record the events of one transition, then tell all listeners of each."""
        for event in events:
            self.events.append(event)
        last = events[-1] if events else None
        for event in events:
            within = None if self._is_plain else Transition(self.state, event is last)
            if type(event) is TurnRecord:
                for listener in self._listeners:
                    listener.moved(event, within)
            elif type(event) is ForfeitRecord:
                for listener in self._listeners:
                    listener.forfeited(event, within)
