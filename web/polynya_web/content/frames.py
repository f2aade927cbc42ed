"""From the events of a match to the positions that a viewer shows, one frame for each step.

Each frame is encoded once, when it is made, for all viewers.
"""

from __future__ import annotations

from typing import Any

import msgspec

from polynya_common.text import refused_words
from polynya_games import Game, IllegalForfeit, IllegalTurn, State, load
from polynya_protocol.messages import Step
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord
from polynya_web.content.match_types import ForfeitView, Frame, TurnView, exact

_encode = msgspec.json.Encoder().encode
_fields = msgspec.structs.asdict


class ToldTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as spectators are told of it: like a ``TurnRecord``, without its times."""

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
    """The positions of one match, as far as it has been followed.

    Args:
        game: the name of an installed game.
        state: the initial position, of the form in the game's rules.
        with_info: whether the bots' remarks are shown.

    Attributes:
        state: the present position.
        frames, turns, forfeits: each a ``Frame``, ``TurnView`` or ``ForfeitView`` as JSON.
        scores: the present scores, see :func:`present_scores`.

    Raises:
        ValueError: there is no such game, or the state is none of it (a ``GameError``).
    """

    def __init__(self, game: str, state: object, *, with_info: bool = True) -> None:
        self._game = load(game)
        self.state: State = self._game.state_from_json(state)
        self.frames: list[msgspec.Raw] = []
        self.turns: list[msgspec.Raw] = []
        self.forfeits: list[msgspec.Raw] = []
        self.scores: list[int] | None = None
        self._with_info = with_info
        self._add(turn=0)

    def follow(self, event: MatchEvent | ToldTurn) -> None:
        """Go on by one event.

        Raises:
            ValueError: it cannot be the next one by the rules; the message says why.
        """
        if isinstance(event, ForfeitRecord):
            self._forfeit(event)
        else:
            self._turn(event)

    def _turn(self, turn: TurnRecord | ToldTurn) -> None:
        first = len(self.frames)
        if turn.seat != self.state.to_move:
            raise ValueError(f"turn {turn.turn}: seat {turn.seat} was not to move")
        for index, step in enumerate(turn.steps):
            if index and self.state.turn_over:
                raise IllegalTurn(index, f"turn {turn.turn} goes on after its end")
            self.state = self.state.apply(step)
            self._add(turn=turn.turn, seat=turn.seat, step=step, step_index=index)
        if first == len(self.frames) or not self.state.turn_over:
            raise ValueError(f"turn {turn.turn} is not a whole one")
        known = _fields(turn) | {"info": _readable(turn.info) if self._with_info else None}
        last = len(self.frames) - 1
        self.turns.append(_raw(TurnView(first_frame=first, last_frame=last, **known)))

    def _forfeit(self, forfeit: ForfeitRecord) -> None:
        try:
            self.state = self.state.forfeit(forfeit.seat)
        except IllegalForfeit:
            # A match for which fewer than two bots were ready is not begun: each of the others
            # forfeits, though the rules let the last player stay.
            if forfeit.turn != 0 or not 0 <= forfeit.seat < self.state.players:
                raise
        self._add(
            turn=forfeit.turn, seat=forfeit.seat, forfeit=forfeit.reason, detail=forfeit.detail
        )
        frame = len(self.frames) - 1
        known = _fields(forfeit)
        refused = refused_words(known.pop("refused_steps"), known.pop("refused_left_out"))
        view = ForfeitView(frame=frame, refused_steps=refused or None, **known)
        self.forfeits.append(_raw(view))

    def _add(
        self,
        turn: int,
        seat: int | None = None,
        step: list[Any] | None = None,
        step_index: int | None = None,
        **forfeit: Any,
    ) -> None:
        state = self.state
        self.scores = present_scores(self._game, state)
        frame = Frame(
            index=len(self.frames),
            turn=turn,
            seat=seat,
            step=step,
            step_index=step_index,
            turn_over=state.turn_over,
            state=state.to_json(),
            scores=self.scores,
            **forfeit,
        )
        self.frames.append(_raw(frame))


def frames_of(record: MatchRecord, *, with_info: bool = True) -> Frames:
    """The initial position of a recorded match, to be followed through its events.

    Raises:
        ValueError: the record does not fit together.
    """
    frames = Frames(record.setup.game, record.state, with_info=with_info)
    if frames.state.players != len(record.setup.players):
        raise ValueError(
            f"the position is one of {frames.state.players} seats, "
            f"but there are {len(record.setup.players)} players"
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
    """A bot's remarks, if JSON can say them."""
    try:
        return _raw(exact(info))
    except (TypeError, ValueError, RecursionError):
        return None
