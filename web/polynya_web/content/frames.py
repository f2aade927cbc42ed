"""Makes a viewer's frames from the events of a match, one for each step.

Each frame is encoded once, when it is made, for all viewers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polynya_common.process_report import ProcessReport, cpu_ms_of
from polynya_common.reasons import Reason, reason_of
from polynya_common.text import refused_words
from polynya_games import Game, GameError, State, load
from polynya_games.playthrough import Change, Playthrough
from polynya_games.refusals import COMMON, refusal
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord
from polynya_web.content.boards.drawn_board import drawn_board
from polynya_web.content.match_types import ForfeitView, Frame, TurnView, exact
from polynya_web.content.seats.told_events import ToldTurn

_encode = msgspec.json.Encoder().encode
_fields = msgspec.structs.asdict


Position = tuple[dict[str, Any], list[int] | None]
"""The document of a position, and the scores in it; None where they are not known."""


class FrameList:
    """The frames of a match as far as it is known, each encoded.

    Args:
        game: the game.
        with_info: whether the bots' remarks are shown.
        reports: those of the host's processes, by seat.

    Attributes:
        frames, turns, forfeits: each a ``Frame``, ``TurnView`` or ``ForfeitView`` as JSON.
        scores: the present scores by seat, None if they are not known.
    """

    def __init__(
        self,
        game: Game,
        *,
        with_info: bool = True,
        reports: Mapping[int, ProcessReport] | None = None,
    ) -> None:
        self.frames: list[msgspec.Raw] = []
        self.turns: list[msgspec.Raw] = []
        self.forfeits: list[msgspec.Raw] = []
        self.scores: list[int] | None = None
        self._game = game
        self._with_info = with_info
        self._reports = reports or {}
        self._shown: _Shown | None = None

    def _add(self, position: object, show: Callable[[], Position], **known: Any) -> None:
        """Add a frame.

        Args:
            position: an object that all frames of one position, as of a joint turn, have in common.
            show: gives the position's document and scores.
            known: the other keys of the frame.
        """
        shown = self._shown
        if shown is None or shown.position is not position:
            document, scores = show()
            drawn = drawn_board(self._game, document)
            encoded = map(_raw, (document, drawn.rows, drawn.board))
            self._shown = shown = _Shown(position, scores, *encoded)
        self.scores = shown.scores
        frame = Frame(
            index=len(self.frames),
            state=shown.document,
            scores=shown.scores,
            rows=shown.rows,
            board=shown.board,
            **known,
        )
        self.frames.append(_raw(frame))

    def _add_turn(self, turn: TurnRecord | ToldTurn, first: int) -> None:
        """Add a turn, whose frames from ``first`` on were added."""
        known = _fields(turn) | {"info": _readable(turn.info) if self._with_info else None}
        last = len(self.frames) - 1
        self.turns.append(_raw(TurnView(first_frame=first, last_frame=last, **known)))

    def _add_forfeit(self, forfeit: ForfeitRecord) -> None:
        """Add a forfeit, whose frame was added."""
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


class _Shown(NamedTuple):
    """The common part of the frames of a position; all but the scores as JSON."""

    position: object
    scores: list[int] | None
    document: Any
    rows: Any
    board: Any


class Frames(FrameList):
    """Follows a match all of which is shown, and makes its frames.

    Args:
        game: the name of an installed game.
        state: the initial position, or its document in the form of the game's rules.
        with_info: whether the bots' remarks are shown.
        reports: those of the host's processes, by seat.

    Attributes:
        state: the present position.

    Raises:
        ValueError: there is no such game, or the state is none of it (a ``GameError``).
    """

    def __init__(
        self,
        game: str,
        state: State | dict[str, Any],
        *,
        with_info: bool = True,
        reports: Mapping[int, ProcessReport] | None = None,
    ) -> None:
        super().__init__(load(game), with_info=with_info, reports=reports)
        read = self._game.state_from_json
        self._match = Playthrough(read(state) if isinstance(state, dict) else state)
        self._show(Change(self.state), turn=0)

    @property
    def state(self) -> State:
        """The present position."""
        return self._match.state

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now."""
        return self._match.acting

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
            self._show(change, turn=turn.turn, seat=turn.seat)
        self._add_turn(turn, first)

    def _forfeit(self, forfeit: ForfeitRecord, change: Change) -> None:
        self._show(change, **keys_of_forfeit(forfeit))
        self._add_forfeit(forfeit)

    def _show(self, change: Change, turn: int, seat: int | None = None, **known: Any) -> None:
        state = change.state
        self._add(
            state,
            lambda: (state.to_json(), present_scores(self._game, state)),
            turn=turn,
            seat=seat,
            step=change.step,
            step_index=change.index,
            turn_over=state.turn_over,
            **known,
        )


def keys_of_forfeit(forfeit: ForfeitRecord) -> dict[str, Any]:
    """The keys of a frame that shows a forfeit, but for its position."""
    return {
        "turn": forfeit.turn,
        "seat": forfeit.seat,
        "forfeit": forfeit.reason,
        "detail": str(forfeit.detail),
        "detail_cause": reason_of(forfeit.detail),
    }


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
