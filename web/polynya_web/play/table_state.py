"""The messages to the page of a person's seat, each a JSON object, and refusals of its requests."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from polynya_common.reasons import Reason
from polynya_protocol.messages import ForfeitReason, OverReason, Step
from polynya_web.content.boards.board_types import BoardView


class RefusedError(Exception):
    """A request that changes nothing; ``key`` and ``values`` are the sentence in any language."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


Phase = Literal["lobby", "playing", "over", "failed"]


class Position(msgspec.Struct, frozen=True):
    """A position of the match: the initial one, or the one after a step or a forfeit.

    Attributes:
        index: its place among the positions, from 0.
        turn: the number of the turn, 0 outside of one.
        seat: the seat that made the step or forfeited, None for the initial position.
        state: the position, of the form in the game's rules.
        steps: those of the turn; empty without one.
        step_index: which of them led here.
        forfeit: why the seat forfeited, None if this is no forfeit.
        detail, detail_cause: the server's sentence about the forfeit, and its code with fields.
        rows, board: how a game without a module of its own on the pages shows it.
        seen: what the seat learnt with it beyond the steps. A turn without steps was concealed.
    """

    index: int
    turn: int
    seat: int | None
    state: dict[str, Any]
    steps: list[Step] = []
    step_index: int | None = None
    forfeit: ForfeitReason | None = None
    detail: str | None = None
    detail_cause: Reason | None = None
    rows: list[str] | None = None
    board: BoardView | None = None
    seen: list[dict[str, Any]] = []


class Asked(msgspec.Struct, frozen=True):
    """The person is to move: the number of the turn, and the legal first steps."""

    turn: int
    legal: list[Step]


class Over(msgspec.Struct, frozen=True):
    """How the match ended; ranking and scores by seat, None without a result."""

    ranking: list[int] | None
    scores: list[int] | None
    reason: OverReason
    detail: str | None
    detail_cause: Reason | None


class SeatPlayer(msgspec.Struct, frozen=True):
    """A player of the match."""

    seat: int
    name: str


class TableState(msgspec.Struct, frozen=True):
    """Everything that may have changed since the last one.

    Attributes:
        phase: the phase of the match.
        seat: the person's.
        players: by seat; empty before the match has begun.
        acting: the seats that choose now; of those that have answered no seat is told.
        asked: the turn that the person is asked for, None while there is none.
        over: how it ended, None while it has not.
        sentence: why it failed, for people; None if it did not.
        count: how many positions there have been.
        positions: those that have not been told yet, as far as they are kept.
    """

    phase: Phase
    seat: int
    players: list[SeatPlayer]
    acting: list[int]
    asked: Asked | None
    over: Over | None
    sentence: str | None
    count: int
    positions: list[msgspec.Raw]


class Composed(msgspec.Struct, frozen=True):
    """A turn so far: what may follow, whether it is over, and the position it leads to."""

    legal: list[Step]
    turn_over: bool
    position: Position | None


class Steps(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The steps of a turn that the page asks about or plays, unchecked but for their form."""

    turn: int
    steps: list[list[int | str]]
