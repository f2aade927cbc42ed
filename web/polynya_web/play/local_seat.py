"""The seat of a person in the browser: the referee asks it directly, the pages answer for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from polynya_common.reasons import Reason, reason_of
from polynya_games import IllegalTurn, State, load
from polynya_protocol.messages import RatingChange, Software
from polynya_server import ForfeitRecord, MatchRecord, TurnRecord
from polynya_server.changes import Changes
from polynya_server.errors import cause_of_refusal
from polynya_server.match.match_messages import legal_steps, steps_after
from polynya_server.match.match_setup import GameLoader
from polynya_server.match.pending_turn import PendingTurn
from polynya_server.match.seat import Answer, Fault, MatchContext, OnReply, Transition
from polynya_server.records import MatchEvent
from polynya_web.play.seat_view import OwnView, SeatView
from polynya_web.play.table_state import Asked, Composed, Over, RefusedError

SOFTWARE: Final = Software(name="a person in the browser")


class LocalSeat:
    """One person's seat in one match: see :class:`~polynya_server.match.seat.Participant`.

    Args:
        name: the person's name at the table.
        pending_turn: makes the clock of its turns: :meth:`~polynya_server.Server.pending_turn`.
        load_game: gives the game of a name; the installed ones by default.

    Attributes:
        name: as above.
        changes: of everything that the pages show.
        view: the positions that they show, None before the match is set up.
        seat_index: the seat, 0 before the match is set up.
        ready: whether the match has begun.
        asked: the turn that the person is asked for, None while there is none.
        result: how the match ended, None before.
    """

    def __init__(
        self,
        name: str,
        pending_turn: Callable[[Callable[[], None]], PendingTurn],
        load_game: GameLoader = load,
    ) -> None:
        self.name = name
        self.changes = Changes()
        self.view: SeatView | None = None
        self.seat_index = 0
        self.ready = False
        self.asked: Asked | None = None
        self.result: Over | None = None
        self._match: MatchContext | None = None
        self._load_game = load_game
        self._pending = pending_turn(self._on_deadline)
        self._has_left = False

    # Called by the pages.

    def compose(self, turn: int, steps: list[list[Any]]) -> Composed:
        """The legal steps after these, in the turn that the person is asked for.

        Raises:
            RefusedError: the person is not asked for it, or a step is not legal.
        """
        state = self._state_of(turn)
        legal, is_over = self._checked(state, steps)
        if not steps or self.view is None:
            return Composed(legal, is_over, None)
        seen = self.view.composed(self.seat_index, turn, state, steps)
        return Composed(legal, is_over, seen)

    def play(self, turn: int, steps: list[list[Any]]) -> None:
        """Play a turn if it is legal, so that a mistake of the page loses no match.

        Raises:
            RefusedError: as above, or it is not a whole turn.
        """
        _, is_over = self._checked(self._state_of(turn), steps)
        if not is_over:
            raise RefusedError("play.refused.unfinished")
        self._end_turn()
        self._pending.resolve(Answer(steps, None, self._pending.answered_now()))

    def resign(self) -> None:
        """Give the match up; nothing if it has not begun or is over."""
        self._leave(Fault("resigned", Reason.of("resigned", bot=self.name)))

    def leave(self, why: Reason) -> None:
        """Forfeit because the person is away; nothing if the match has not begun or is over."""
        self._leave(Fault("disconnected", why))

    # Called by the match and its referee: see Participant.

    @property
    def software(self) -> Software:
        """See :class:`~polynya_server.match.seat.Participant`."""
        return SOFTWARE

    @property
    def running_ms(self) -> int | None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        return self._pending.running_ms

    def join(self, match: MatchContext) -> None:
        """See :class:`~polynya_server.match.seat.Participant`."""
        self._match = match
        self.seat_index = seat = match.setup.players.index(self.name)
        game = self._load_game(match.setup.game)
        self.view = SeatView(game) if match.terms.is_plain else OwnView(game, seat)

    def invite(self) -> None:
        """See :class:`~polynya_server.match.seat.Participant`; a person is ready at once."""
        if self._match is not None and self.view is not None:
            self.view.begin(self._match.position.state)
            self.ready = True
            self.changes.notify()
            self._match.on_ready()

    def read_pending(self) -> None:
        """See :class:`~polynya_server.match.seat.Participant`; nothing is ever pending."""

    def why_not_ready(self, ready_ms: int) -> Reason:
        """See :class:`~polynya_server.match.seat.Participant`."""
        return Reason.of("not_ready", bot=self.name, limit_ms=ready_ms, why=None)

    def ask(self, turn_number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:
        """See :class:`~polynya_server.match.seat.Seat`; the clock runs from now on."""
        self._pending.start(turn_number, limit_ms, state, 0, on_reply)
        self._pending.start_clock()
        self.asked = Asked(turn_number, legal_steps(state, self.seat_index))
        self.changes.notify()

    def withdraw(self) -> None:
        """See :class:`~polynya_server.match.seat.Seat`."""
        self._end_turn()
        self._pending.resolve(None)

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._follow(turn, within)

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._follow(forfeit, within)

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:  # noqa: ARG002
        """See :class:`~polynya_server.match.seat.MatchListener`; the seat is left."""
        self.result = Over(
            record.ranking,
            record.scores,
            record.reason,
            None if record.detail is None else str(record.detail),
            reason_of(record.detail),
        )
        self._match = None
        self._pending.cancel()
        self._end_turn()

    def _follow(self, event: MatchEvent, within: Transition | None) -> None:
        if self._match is not None and self.view is not None:
            self.view.follow(event, within)
            self.changes.notify()

    def _state_of(self, turn: int) -> State:
        """The position in which a turn begins.

        Raises:
            RefusedError: the person is not asked for this turn.
        """
        state = self._pending.state
        if state is None or not self._pending.is_for(turn):
            raise RefusedError("play.refused.not_asked")
        return state

    def _checked(self, state: State, steps: list[list[Any]]) -> tuple[list[list[Any]], bool]:
        """The legal steps after those of a turn, and whether it is over.

        Raises:
            RefusedError: a step is not legal.
        """
        try:
            return steps_after(state, steps, self.seat_index)
        except IllegalTurn as error:
            game = "" if self._match is None else self._match.setup.game
            sentence = Reason.of("no_legal_steps", why=cause_of_refusal(error, game))
            raise RefusedError("play.refused.by_server", sentence=sentence) from error

    def _end_turn(self) -> None:
        """Clear the turn before the reply, which may start the next one."""
        self.asked = None
        self.changes.notify()

    def _leave(self, fault: Fault) -> None:
        """Forfeit once: the match records every fault that is reported."""
        if self._match is None or self._has_left:
            return
        self._has_left = True
        self._fail(fault)

    def _fail(self, fault: Fault) -> None:
        pending = self._pending
        if pending.is_open:
            self._end_turn()
            pending.resolve(Fault(fault.reason, fault.detail, pending.unanswered()))
        elif self._match is not None:
            self._match.on_fault(self.seat_index, fault)

    def _on_deadline(self) -> None:
        """Forfeit by time: no answer can be in flight to a local seat."""
        pending = self._pending
        why = Reason.of(
            "no_answer", turn=pending.turn_number, limit_ms=pending.limit_ms, unnamed=None
        )
        self._fail(Fault("timeout", why))
