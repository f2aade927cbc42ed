"""Events as one audience is told of them: a seat, or the spectators of a match that runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from polynya_games import Game, State
from polynya_games.playthrough import Playthrough
from polynya_games.seats import Audience, SeatState
from polynya_protocol.messages import Step
from polynya_server.match.match_messages import STANDARD_DETAIL
from polynya_server.records import ForfeitRecord, MatchEvent, TurnRecord


class ToldTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as sent to spectators: a ``TurnRecord`` without times and remarks.

    Attributes:
        steps: None if they are concealed.
    """

    turn: int
    seat: int
    steps: list[Step] | None
    charged_ms: int
    remaining_ms: list[int | None]
    queued_us: None = None
    flushed_us: None = None
    first_byte_us: None = None
    last_byte_us: None = None
    kernel: bool = False
    loop_delay_us: int = 0
    info: None = None


def told_turn(turn: TurnRecord, *, concealed: bool) -> ToldTurn:
    """A turn of a record as its spectators were told of it."""
    return ToldTurn(
        turn=turn.turn,
        seat=turn.seat,
        steps=None if concealed else turn.steps,
        charged_ms=turn.charged_ms,
        remaining_ms=turn.remaining_ms,
    )


def told_forfeit(forfeit: ForfeitRecord) -> ForfeitRecord:
    """A forfeit of a record as all other seats were told of it: with the reason's sentence."""
    return ForfeitRecord(
        turn=forfeit.turn,
        seat=forfeit.seat,
        reason=forfeit.reason,
        detail=STANDARD_DETAIL[forfeit.reason],
    )


def as_told(event: MatchEvent, known: SeatState) -> MatchEvent | ToldTurn:
    """An event as the audience whose knowledge is ``known`` after it was told of it."""
    if event.seat == known.seat:
        return event
    if isinstance(event, ForfeitRecord):
        return told_forfeit(event)
    return told_turn(event, concealed=event.seat in known.concealed)


@dataclass(frozen=True, slots=True)
class Told:
    """An event with the knowledge that its audience has after it.

    Attributes:
        event: the turn or forfeit.
        known: the audience's knowledge after the event's transition.
        scores: the scores then, by seat; None if they are not told.
        is_last: whether this is the last event of its transition.
    """

    event: MatchEvent | ToldTurn
    known: SeatState
    scores: list[int] | None
    is_last: bool


class Teller:
    """Tells one audience of a match whose whole truth is known here.

    Args:
        game: the game.
        state: the initial position.
        audience: a seat; None for the spectators while the match runs.
    """

    def __init__(self, game: Game, state: State, audience: Audience) -> None:
        self._game = game
        self._match = Playthrough(state)
        self._audience = audience

    @property
    def known(self) -> SeatState:
        """The present knowledge of the audience."""
        return SeatState.of(self._match.state, self._audience)

    @property
    def scores(self) -> list[int] | None:
        """The scores that the audience knows now."""
        scores = self._game.scores_so_far(self._match.state)
        return None if scores is None else list(scores)

    def transitions(self, events: Sequence[MatchEvent]) -> Iterator[list[MatchEvent]]:
        """The events of a record, those of a joint turn together; tell each before the next."""
        return self._match.transitions(events)

    def tell(self, *events: MatchEvent) -> list[Told]:
        """Go on by one transition, and tell of it.

        Raises:
            GameError: the events are impossible by the rules.
        """
        self._match.follow(*events)
        known, scores = self.known, self.scores
        return [Told(as_told(event, known), known, scores, event is events[-1]) for event in events]
