"""Makes a viewer's frames from the events of a match, one for each step.

Each frame is encoded once, when it is made, for all viewers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polynya_common.process_report import ProcessReport, cpu_ms_of
from polynya_common.reasons import Reason, reason_of
from polynya_common.text import refused_words
from polynya_games import Game, GameError, State, load
from polynya_games.playthrough import Change, Playthrough
from polynya_games.refusals import COMMON, refusal
from polynya_protocol.messages import Step
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord
from polynya_web.content.boards.drawn_board import drawn_board
from polynya_web.content.match_types import ForfeitView, Frame, TurnView, exact

_encode = msgspec.json.Encoder().encode
_fields = msgspec.structs.asdict


class ToldTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as sent to spectators: a ``TurnRecord`` without times."""

    turn: int
    seat: int
    steps: list[Step]
    charged_ms: int
    remaining_ms: list[int | None]
    queued_us: None = None
    flushed_us: None = None
    first_byte_us: None = None
    last_byte_us: None = None
    kernel: bool = False
    loop_delay_us: int = 0
    info: None = None


class Frames:
    """Follows a match and makes its frames.

    Args:
        game: the name of an installed game.
        state: the initial position, of the form in the game's rules.
        with_info: whether the bots' remarks are shown.
        reports: those of the host's processes, by seat.

    Attributes:
        frames, turns, forfeits: each a ``Frame``, ``TurnView`` or ``ForfeitView`` as JSON.
        scores: the present scores, see :func:`present_scores`.

    Raises:
        ValueError: there is no such game, or the state is none of it (a ``GameError``).
    """

    def __init__(
        self,
        game: str,
        state: object,
        *,
        with_info: bool = True,
        reports: Mapping[int, ProcessReport] | None = None,
    ) -> None:
        self._game = load(game)
        self._match = Playthrough(self._game.state_from_json(state))
        self.frames: list[msgspec.Raw] = []
        self.turns: list[msgspec.Raw] = []
        self.forfeits: list[msgspec.Raw] = []
        self.scores: list[int] | None = None
        self._with_info = with_info
        self._reports = reports or {}
        self._shown: _Shown | None = None
        self._add(Change(self.state), turn=0)

    @property
    def state(self) -> State:
        """The present position."""
        return self._match.state

    def follow(self, *events: MatchEvent | ToldTurn) -> None:
        """Follow one event, or all events of a joint turn.

        Raises:
            ValueError: they cannot be the next ones by the rules; the message says why.
        """
        try:
            changes = self._match.follow(*events)
        except GameError as error:
            turn, seat = events[0].turn, events[0].seat
            raise refusal(GameError, COMMON, "bad_turn", turn=turn, seat=seat, why=error) from error
        for event in events:
            if isinstance(event, ForfeitRecord):
                self._forfeit(event, changes[-1])
            else:
                self._turn(event, [_own_change(change, event.seat) for change in changes])

    def follow_all(self, events: Sequence[MatchEvent]) -> None:
        """Follow the events of a record, those of a joint turn together.

        Raises:
            ValueError: as :meth:`follow` does.
        """
        for group in self.transitions(events):
            self.follow(*group)

    def transitions(self, events: Sequence[MatchEvent]) -> Iterator[list[MatchEvent]]:
        """The events of a record, those of a joint turn together; follow each before the next."""
        return self._match.transitions(events)

    def _turn(self, turn: TurnRecord | ToldTurn, changes: list[Change]) -> None:
        first = len(self.frames)
        for change in changes:
            self._add(change, turn=turn.turn, seat=turn.seat)
        known = _fields(turn) | {"info": _readable(turn.info) if self._with_info else None}
        last = len(self.frames) - 1
        self.turns.append(_raw(TurnView(first_frame=first, last_frame=last, **known)))

    def _forfeit(self, forfeit: ForfeitRecord, change: Change) -> None:
        self._add(
            change,
            turn=forfeit.turn,
            seat=forfeit.seat,
            forfeit=forfeit.reason,
            detail=str(forfeit.detail),
            detail_cause=reason_of(forfeit.detail),
        )
        frame = len(self.frames) - 1
        known = _fields(forfeit)
        refused = refused_words(known.pop("refused_steps"), known.pop("refused_left_out"))
        detail = known.pop("detail")
        is_late = forfeit.reason == "timeout"
        report = self._reports.get(forfeit.seat) if is_late else None
        view = ForfeitView(
            frame=frame,
            cpu_ms=cpu_ms_of(report, forfeit.turn),
            refused_steps=refused or None,
            detail=str(detail),
            detail_cause=reason_of(detail),
            **known,
        )
        self.forfeits.append(_raw(view))

    def _add(self, change: Change, turn: int, seat: int | None = None, **forfeit: Any) -> None:
        state = change.state
        shown = self._shown_of(state)
        self.scores = shown.scores
        frame = Frame(
            index=len(self.frames),
            turn=turn,
            seat=seat,
            step=change.step,
            step_index=change.index,
            turn_over=state.turn_over,
            state=shown.document,
            scores=shown.scores,
            rows=shown.rows,
            board=shown.board,
            **forfeit,
        )
        self.frames.append(_raw(frame))

    def _shown_of(self, state: State) -> _Shown:
        """The shown form of a position, made once for all frames of a joint turn."""
        if self._shown is None or self._shown.state is not state:
            document = state.to_json()
            drawn = drawn_board(self._game, document)
            scores = present_scores(self._game, state)
            encoded = map(_raw, (document, drawn.rows, drawn.board))
            self._shown = _Shown(state, scores, *encoded)
        return self._shown


class _Shown(NamedTuple):
    """The common part of the frames of a position; all but the scores as JSON."""

    state: State
    scores: list[int] | None
    document: Any
    rows: Any
    board: Any


def _own_change(change: Change, seat: int) -> Change:
    """The part of one seat in the change of a joint turn."""
    if not change.steps:
        return change
    return Change(change.state, change.steps.get(seat), 0)


def frames_of(
    record: MatchRecord,
    *,
    with_info: bool = True,
    reports: Mapping[int, ProcessReport] | None = None,
) -> Frames:
    """Frames at the start of a recorded match, to follow its events; see :class:`Frames`.

    Raises:
        ValueError: the record does not fit together.
    """
    frames = Frames(record.setup.game, record.state, with_info=with_info, reports=reports)
    if frames.state.players != len(record.setup.players):
        raise ValueError(
            Reason.of("seats_differ", count=frames.state.players, players=len(record.setup.players))
        )
    return frames


def present_scores(game: Game, state: State) -> list[int] | None:
    """The scores in a position by seat; None if the game does not say them before its end."""
    if state.outcome is not None:
        return list(state.outcome.scores)
    scores = game.scores_so_far(state)
    return None if scores is None else list(scores)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(_encode(value))


def _readable(info: object) -> object:
    """A bot's remarks, if they can be encoded as JSON."""
    try:
        return _raw(exact(info))
    except (TypeError, ValueError, RecursionError):
        return None
