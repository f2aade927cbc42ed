"""The referee against a model of a match in a few lines: answers, lateness, faults at any moment.

The referee waits for nothing but its seats, so it is driven here by hand, without a clock: a seat
keeps what it is asked, and the machine decides what comes back.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.scripted import RACE

from polynya_common.reasons import Reason
from polynya_games import State
from polynya_protocol.messages import Clock, ForfeitReason
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Answer, Fault, OnReply, Reply, Transition, TurnTiming
from polynya_server.match.time_control import MatchClock
from polynya_server.records import ForfeitRecord, MatchEvent, TurnRecord
from polynya_server.timing.monotonic_clock import NS_PER_MS

GOAL = 12
CLOCKS = [
    Clock(move_ms=100),
    Clock(initial_ms=300),
    Clock(initial_ms=200, increment_ms=20, move_ms=90),
]
REASONS: list[ForfeitReason] = ["disconnected", "protocol_error", "resigned", "timeout"]


class HandSeat:
    """A seat whose questions the machine answers."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked: tuple[int, int] | None = None
        self.withdrawn = False
        self.told: list[MatchEvent] = []

    def ask(self, number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:
        del state
        self.asked = (number, limit_ms)
        self._on_reply = on_reply

    def reply(self, reply: Reply) -> None:
        self.asked = None
        self._on_reply(reply)

    def withdraw(self) -> None:
        self.withdrawn = True

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:  # noqa: ARG002
        self.told.append(turn)

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:  # noqa: ARG002
        self.told.append(forfeit)


class Model:
    """A match of Race as anybody would keep it on paper."""

    def __init__(self, players: int, clock: Clock) -> None:
        self.clock = clock
        self.points = [0] * players
        self.budgets = [clock.initial_ms] * players
        self.out: list[int] = []
        self.faults: list[tuple[int, str]] = []
        self.events: list[tuple[object, ...]] = []
        self.number = 0
        self.mover: int | None = 0
        self.broken_off = False
        self.next_turn()

    def next_turn(self) -> None:
        """Who did wrong leaves; then the next one is asked."""
        for seat, reason in self.faults:
            if seat not in self.out and self.mover is not None:
                self.out.append(seat)
                self.events.append(("forfeit", self.number, seat, reason))
                self.settle(seat)
        self.faults = []
        if self.mover is not None and not self.broken_off:
            self.number += 1

    def settle(self, seat: int) -> None:
        if len(self.out) == len(self.points) - 1:
            self.mover = None
        elif self.mover == seat:
            self.mover = self.after(seat)

    def after(self, seat: int) -> int:
        players = len(self.points)
        following = [(seat + step) % players for step in range(1, players + 1)]
        return next(other for other in following if other not in self.out)

    def asked(self) -> int:
        assert self.mover is not None
        return self.mover

    def limit_ms(self) -> int:
        limits = (self.budgets[self.asked()], self.clock.move_ms)
        return min(limit for limit in limits if limit is not None)

    def answer(self, points: int, charged_ms: int) -> None:
        seat = self.asked()
        budget = self.budgets[seat]
        if budget is not None:
            self.budgets[seat] = budget - charged_ms + (self.clock.increment_ms or 0)
        self.points[seat] += points
        self.events.append(("turn", self.number, seat, charged_ms, tuple(self.budgets)))
        self.mover = None if self.points[seat] >= GOAL else self.after(seat)
        self.next_turn()

    def fault(self, seat: int, reason: str) -> None:
        self.faults.append((seat, reason))
        gone = {*self.out, *(other for other, _ in self.faults)}
        if seat == self.mover or len(gone) >= len(self.points) - 1:
            self.next_turn()

    def break_off(self) -> None:
        self.broken_off = True
        self.next_turn()


def is_over(machine: RefereeMachine) -> bool:
    return machine.model.mover is None or machine.model.broken_off


in_play = precondition(lambda machine: not is_over(machine))


class RefereeMachine(RuleBasedStateMachine):
    """Whatever players can do, in any order."""

    @initialize(players=st.integers(2, 4), clock=st.sampled_from(CLOCKS))
    def the_first_match_begins(self, players: int, clock: Clock) -> None:
        self.begin(players, clock)

    @precondition(is_over)
    @rule(players=st.integers(2, 4), clock=st.sampled_from(CLOCKS))
    def another_match_begins(self, players: int, clock: Clock) -> None:
        self.begin(players, clock)

    def begin(self, players: int, clock: Clock) -> None:
        self.model = Model(players, clock)
        self.seats = [HandSeat(number) for number in range(players)]
        state = RACE.setup(players, options={"goal": GOAL})
        self.referee = Referee(state, self.seats, MatchClock(clock, players), began_ns=0)
        self.referee.begin()

    @property
    def asked(self) -> list[HandSeat]:
        return [seat for seat in self.seats if seat.asked is not None]

    def go_on(self, reply: Reply) -> None:
        (seat,) = self.asked
        seat.reply(reply)

    def go_on_if_withdrawn(self) -> None:
        for seat in self.asked:
            if seat.withdrawn:
                seat.reply(None)

    def timing(self, charged_ms: int, allowance_ms: int = 0, loop_delay_ns: int = 0) -> TurnTiming:
        elapsed_ns = (charged_ms + allowance_ms + 1) * NS_PER_MS - 1
        return TurnTiming(
            0,
            0,
            elapsed_ns,
            elapsed_ns,
            self.model.limit_ms(),
            allowance_ns=allowance_ms * NS_PER_MS,
            loop_delay_ns=loop_delay_ns,
        )

    @in_play
    @rule(
        number=st.integers(1, 3),
        doubled=st.booleans(),
        share=st.floats(0, 1),
        allowance_ms=st.integers(0, 5),
    )
    def answers_in_time(self, number: int, doubled: bool, share: float, allowance_ms: int) -> None:
        charged_ms = int(share * self.model.limit_ms())
        steps = [["double"], ["add", number]] if doubled else [["add", number]]
        timing = self.timing(charged_ms, allowance_ms)
        self.model.answer(2 * number if doubled else number, charged_ms)
        self.go_on(Answer(steps, None, timing))

    @in_play
    @rule(late_ms=st.integers(1, 50))
    def answers_late(self, late_ms: int) -> None:
        timing = self.timing(self.model.limit_ms() + late_ms, 0, late_ms * NS_PER_MS // 2)
        self.model.fault(self.model.asked(), "timeout")
        self.go_on(Answer([["add", 1]], None, timing))

    @in_play
    @rule(late_ms=st.integers(1, 50))
    def answers_late_by_the_servers_fault(self, late_ms: int) -> None:
        timing = self.timing(self.model.limit_ms() + late_ms, 0, late_ms * NS_PER_MS // 2 + 1)
        self.model.break_off()
        self.go_on(Answer([["add", 1]], None, timing))
        assert self.referee.annulled is not None

    @in_play
    @rule(steps=st.sampled_from([[["add", 4]], [], "add", [["double"]], [["add", 1], ["add", 1]]]))
    def answers_illegally(self, steps: object) -> None:
        timing = self.timing(0)
        self.model.fault(self.model.asked(), "illegal_move")
        self.go_on(Answer(steps, None, timing))

    @in_play
    @rule(reason=st.sampled_from(REASONS))
    def the_asked_one_fails(self, reason: ForfeitReason) -> None:
        self.model.fault(self.model.asked(), reason)
        self.go_on(Fault(reason, "it did"))

    @in_play
    @rule(distance=st.integers(1, 3), reason=st.sampled_from(REASONS))
    def another_one_fails(self, distance: int, reason: ForfeitReason) -> None:
        seat = (self.model.asked() + distance) % len(self.seats)
        if seat == self.model.asked():
            return
        self.model.fault(seat, reason)
        self.referee.report(seat, Fault(reason, "it did"))
        self.go_on_if_withdrawn()

    @in_play
    @rule()
    def the_match_is_aborted(self) -> None:
        self.model.break_off()
        self.referee.abort(Reason.of("server_shuts_down"))
        self.go_on_if_withdrawn()
        assert self.referee.aborted is not None

    @invariant()
    def the_same_has_happened(self) -> None:
        assert [short(event) for event in self.referee.events] == self.model.events

    @invariant()
    def everybody_was_told_of_it(self) -> None:
        assert [seat.told for seat in self.seats] == [self.referee.events] * len(self.seats)

    @invariant()
    def the_same_one_is_asked_with_the_same_time(self) -> None:
        model = self.model
        expected = [] if is_over(self) else [(model.asked(), (model.number, model.limit_ms()))]
        assert expected == [(seat.number, seat.asked) for seat in self.asked]

    @invariant()
    def the_winner_is_the_same(self) -> None:
        outcome = self.referee.state.outcome
        assert (outcome is None) == (self.model.mover is not None)
        if outcome is not None:
            assert list(outcome.ranking) == ranking(self.model)


def short(event: MatchEvent) -> tuple[object, ...]:
    if isinstance(event, ForfeitRecord):
        return ("forfeit", event.turn, event.seat, event.reason)
    remaining = tuple(event.remaining_ms)
    return ("turn", event.turn, event.seat, event.charged_ms, remaining)


def ranking(model: Model) -> list[int]:
    """Points decide, ties share a rank; who forfeited is below, the later one higher."""
    playing = [points for seat, points in enumerate(model.points) if seat not in model.out]
    ranks = []
    for seat, points in enumerate(model.points):
        if seat in model.out:
            ranks.append(len(model.points) - model.out.index(seat))
        else:
            ranks.append(1 + sum(other > points for other in playing))
    return ranks


RefereeMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=30)
TestRefereeMachine = RefereeMachine.TestCase
