"""The frames of a match as one audience may know it, made from the events told to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from polynya_games import Game, State
from polynya_games.seats import Audience, SeatState
from polynya_server.records import ForfeitRecord, MatchEvent
from polynya_web.content.frames import FrameList, keys_of_forfeit
from polynya_web.content.seats.told_events import Teller, Told


class _KnownFrames(FrameList):
    """Frames of the knowledge of an audience, one for each event.

    Args:
        game: the game.
        known: what the audience knows at the beginning.
        scores: the scores then; None if they are not told.
    """

    def __init__(self, game: Game, known: SeatState, scores: list[int] | None) -> None:
        super().__init__(game)
        self._known = known
        self._add(
            known,
            lambda: (dict(known.view), scores),
            turn=0,
            seat=None,
            step=None,
            step_index=None,
            turn_over=True,
            seen=list(known.seen) or None,
        )

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now."""
        return self._known.acting

    def _follow(self, told: Told) -> None:
        self._known = told.known
        event = told.event
        if isinstance(event, ForfeitRecord):
            keys = {"step": None, "step_index": None, **keys_of_forfeit(event)}
            self._show(told, **keys)
            self._add_forfeit(event)
            return
        steps = event.steps
        self._show(
            told,
            turn=event.turn,
            seat=event.seat,
            step=steps[-1] if steps else None,
            step_index=len(steps) - 1 if steps else None,
        )
        self._add_turn(event, len(self.frames) - 1)

    def _show(self, told: Told, **keys: Any) -> None:
        known = told.known
        seen = list(known.seen) if told.is_last else []
        self._add(
            known,
            lambda: (dict(known.view), told.scores),
            turn_over=True,
            seen=seen or None,
            **keys,
        )


class ToldFrames(_KnownFrames):
    """Frames of a match of which no more is known here than its audience is told."""

    def transitions(self, events: Sequence[Told]) -> Iterator[Sequence[Told]]:
        """The events one by one: each has the knowledge after its transition."""
        return ([event] for event in events)

    def follow(self, *events: Told) -> None:
        """Add the frames of these events."""
        for told in events:
            self._follow(told)


class AudienceFrames(_KnownFrames):
    """Frames of a match whose whole truth is known here.

    Args:
        game: the game.
        state: the initial position.
        audience: a seat; None for the spectators while the match runs.
    """

    def __init__(self, game: Game, state: State, audience: Audience) -> None:
        self._teller = Teller(game, state, audience)
        super().__init__(game, self._teller.known, self._teller.scores)

    def transitions(self, events: Sequence[MatchEvent]) -> Iterator[Sequence[MatchEvent]]:
        """The events of a record, those of a joint turn together; follow each before the next."""
        return self._teller.transitions(events)

    def follow(self, *events: MatchEvent) -> None:
        """Follow one event, or all events of a joint turn.

        Raises:
            GameError: they cannot be the next ones by the rules.
        """
        for told in self._teller.tell(*events):
            self._follow(told)
