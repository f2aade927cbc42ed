"""Makes the messages to one seat of a match, numbered as a server numbers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polynya_games import IllegalTurn, State, seats
from polynya_protocol.messages import (
    Clock,
    Error,
    Forfeited,
    Hello,
    Legal,
    MatchOver,
    MatchResume,
    MatchStart,
    Moved,
    OverReason,
    Player,
    Steps,
    Turn,
)
from polynya_server.match.match_messages import (
    forfeited_message,
    keys_of_terms,
    legal_steps,
    moved_message,
    steps_after,
)
from polynya_server.match.match_setup import PLAIN, MatchTerms
from polynya_server.match.seat import Transition
from polynya_server.records import ForfeitRecord, TurnRecord


class SeatMessages:
    """Makes one seat's messages about one match.

    Attributes:
        match: the match's id.
        seat: the seat that receives them.
        wants: the optional parts that the bot's hello asked for.
    """

    def __init__(
        self,
        match: str,
        seat: int,
        game: str,
        players: list[Player],
        options: Mapping[str, Any],
        clock: Clock,
        terms: MatchTerms = PLAIN,
    ) -> None:
        self.match = match
        self.seat = seat
        self.wants: frozenset[str] = frozenset()
        self._of_the_match: dict[str, Any] = {
            "game": game,
            "seat": seat,
            "players": players,
            "options": dict(options),
            "clock": clock,
        }
        self._terms = terms
        self._seq = -1

    def listen_to(self, hello: Hello) -> None:
        """Note the optional parts that the bot's hello asks for."""
        self.wants = frozenset(word for word in hello.wants or () if isinstance(word, str))

    def start(self, state: State) -> MatchStart:
        """The match begins."""
        return MatchStart(
            match=self.match,
            seq=self._next(),
            state=seats.view(state, self.seat),
            **self._of_the_match,
            **keys_of_terms(self._terms, state),
        )

    def resume(self, state: State, remaining_ms: list[int | None]) -> MatchResume:
        """The state of the match, for a bot that has reconnected."""
        return MatchResume(
            match=self.match,
            seq=self._next(),
            state=seats.view(state, self.seat),
            remaining_ms=remaining_ms,
            **self._of_the_match,
            **keys_of_terms(self._terms, state),
        )

    def turn(self, state: State, number: int, remaining_ms: int) -> Turn:
        """The seat is asked for a turn."""
        return Turn(
            match=self.match,
            seq=self._next(),
            turn=number,
            remaining_ms=remaining_ms,
            state=seats.view(state, self.seat) if "state" in self.wants else None,
            legal=legal_steps(state, self.seat) if "legal" in self.wants else None,
        )

    def told(
        self, event: TurnRecord | ForfeitRecord, within: Transition
    ) -> Moved | Forfeited | None:
        """A recorded event as this seat is told of it; None if it does not hear of it.

        Args:
            event: a turn or a forfeit.
            within: its transition.
        """
        context = None if self._terms.is_plain else within
        if isinstance(event, ForfeitRecord):
            return forfeited_message(
                self.match, self._next(), event, self.seat, context, self._terms
            )
        if context is None and event.seat == self.seat and "moved" not in self.wants:
            return None
        return moved_message(self.match, self._next(), event, self.seat, context, self._terms)

    def over(
        self,
        ranking: Sequence[int] | None,
        scores: Sequence[int] | None,
        reason: OverReason,
        detail: str | None = None,
        deal: str | None = None,
    ) -> MatchOver:
        """The match has ended."""
        return MatchOver(
            match=self.match,
            seq=self._next(),
            ranking=None if ranking is None else list(ranking),
            scores=None if scores is None else list(scores),
            reason=reason,
            detail=detail,
            replay=self.match,
            deal=deal,
        )

    def _next(self) -> int:
        self._seq += 1
        return self._seq


def answer_steps(
    state: State, number: int, question: Steps, seat: int | None = None
) -> Legal | Error:
    """The answer to a query for legal steps during the pending turn of a seat.

    ``seat`` is None for the seat to move.
    """
    match, turn = question.match, question.turn
    if turn != number:
        sentence = f"turn {turn} is not being asked for"
        return Error(code="not_your_turn", message=sentence, fatal=False, match=match, turn=turn)
    try:
        legal, turn_over = steps_after(state, question.steps, seat)
    except IllegalTurn as error:
        return Error(code="malformed", message=str(error), fatal=False, match=match, turn=turn)
    return Legal(match=match, turn=turn, legal=legal, turn_over=turn_over)
