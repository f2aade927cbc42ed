"""The types of the live events of the API: the data of each event is one JSON object."""

from __future__ import annotations

from typing import Any

from polynya_protocol.messages import Step
from polynya_web.content.boards.board_types import BoardView
from polynya_web.content.match_types import Clocks, ForfeitView, Frame, MatchView, TurnView, Value


class TurnEvent(Value, frozen=True):
    """A turn of a match that is watched live (event ``turn``).

    Attributes:
        turn: the turn.
        frames: its frames.
        to_move: the seat to move now, the least in a joint turn; null if the match is over.
        remaining_ms: each seat's budget, null without one.
        clocks: as they run, null if more has happened since.
    """

    turn: TurnView
    frames: list[Frame]
    to_move: int | None
    remaining_ms: list[int | None]
    clocks: Clocks | None = None


class ForfeitEvent(Value, frozen=True):
    """A forfeit in a match that is watched live (event ``forfeit``).

    Attributes:
        forfeit: the forfeit.
        frame: its frame.
        to_move: the seat to move now, as above.
        clocks: as they run, null if more has happened since.
    """

    forfeit: ForfeitView
    frame: Frame
    to_move: int | None
    clocks: Clocks | None = None


class OverEvent(Value, frozen=True):
    """The end of a match that is watched live (event ``over``)."""

    match: MatchView


class Board(Value, frozen=True):
    """A position to be drawn small.

    Attributes:
        state: of the form in the game's rules.
        step: the step that led to it; null before the first, and where it is not known.
        seat: the seat that made the step.
        rows, board: as in ``Frame``.
    """

    state: Any
    step: Step | None = None
    seat: int | None = None
    rows: list[str] | None = None
    board: BoardView | None = None


class LiveMatch(Value, frozen=True):
    """A match on the list of those in play (in the event ``matches``, and the event ``begun``).

    Attributes:
        match: the match.
        turn: how many turns were played.
        scores: the present score by seat, null where the game has none yet.
        clocks: as they run.
        board: how it stands; null for the matches that have no board on the list.
        lead: whether it is the match most worth watching; one of the list is, until its end.
    """

    match: MatchView
    turn: int
    scores: list[int] | None
    clocks: Clocks
    board: Board | None = None
    lead: bool = False


class LiveTurn(Value, frozen=True):
    """How far a match on the list has come (event ``turn``).

    Attributes:
        match: its id.
        turn, scores, clocks, lead: as in ``LiveMatch``.
        board: how it stands; null if that has not changed, or was sent a moment ago.
    """

    match: str
    turn: int
    scores: list[int] | None
    clocks: Clocks
    board: Board | None = None
    lead: bool = False


class LiveOver(Value, frozen=True):
    """A match on the list has ended (event ``over``).

    Attributes:
        match: its id.
        scores, board: how it stood at its end, as in ``LiveMatch``.
    """

    match: str
    scores: list[int] | None = None
    board: Board | None = None


class Featured(Value, frozen=True):
    """The match that the television shows from now on (event ``featured``); then come its events.

    Attributes:
        match: its id.
    """

    match: str


class Waiting(Value, frozen=True):
    """The television shows nothing for now (event ``waiting``).

    Attributes:
        next_s: how soon it goes on to the next match, in seconds; null if none is in play.
    """

    next_s: int | None
