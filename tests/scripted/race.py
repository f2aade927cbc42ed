"""Race, the smallest game that needs all of the referee: the first player at the goal wins.

A turn is ``["add", n]`` with n from 1 to 3, or two steps, ``["double"]`` and then ``["add", n]``,
which adds 2 n. The match ends as soon as a player has reached the goal; more points are better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from polynya_games import (
    Game,
    IllegalForfeit,
    IllegalStep,
    InvalidState,
    InvalidStep,
    Option,
    Outcome,
    State,
    Step,
    Termination,
)
from polynya_games.ranking import ranking

DOUBLE: Step = ("double",)
ADDS: tuple[Step, ...] = (("add", 1), ("add", 2), ("add", 3))


class RaceState(msgspec.Struct, frozen=True):
    """A position: the points by seat, the goal, and whether the turn under way counts twice."""

    goal: int
    points: tuple[int, ...]
    to_move: int | None = 0
    doubled: bool = False
    forfeited: tuple[int, ...] = ()

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.points)

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way."""
        return not self.doubled

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended."""
        if self.to_move is not None:
            return None
        alone = len(self.forfeited) == self.players - 1
        return Outcome(
            Termination.FORFEIT if alone else Termination.FINISHED,
            ranking(self.points, self.forfeited),
            self.points,
        )

    def legal_steps(self) -> list[Step]:
        """All legal steps."""
        if self.to_move is None:
            return []
        return [*ADDS] if self.doubled else [*ADDS, DOUBLE]

    def apply(self, step: object) -> RaceState:
        """The position after ``step``."""
        if not isinstance(step, (list, tuple)) or tuple(step) not in (*ADDS, DOUBLE):
            raise InvalidStep('a step is ["add", 1 to 3] or ["double"]')
        if tuple(step) not in self.legal_steps():
            raise IllegalStep("a player does not move twice, or double twice, in one turn")
        return self.apply_legal(tuple(step))

    def apply_legal(self, step: Step) -> RaceState:
        """The position after a legal step."""
        if step == DOUBLE:
            return msgspec.structs.replace(self, doubled=True)
        seat, number = self.to_move, step[1]
        assert isinstance(seat, int)  # the step is legal
        assert isinstance(number, int)
        gained = 2 * number if self.doubled else number
        points = (*self.points[:seat], self.points[seat] + gained, *self.points[seat + 1 :])
        to_move = None if points[seat] >= self.goal else self._after(seat, self.forfeited)
        return msgspec.structs.replace(self, points=points, to_move=to_move, doubled=False)

    def forfeit(self, seat: int) -> RaceState:
        """The position after ``seat`` has forfeited."""
        if self.to_move is None or self.doubled or seat in self.forfeited:
            raise IllegalForfeit(f"seat {seat} cannot forfeit now")
        forfeited = (*self.forfeited, seat)
        to_move: int | None = self.to_move
        if len(forfeited) == self.players - 1:
            to_move = None
        elif to_move == seat:
            to_move = self._after(seat, forfeited)
        return msgspec.structs.replace(self, forfeited=forfeited, to_move=to_move)

    def to_json(self) -> dict[str, Any]:
        """The state as bots see it."""
        return {
            "game": "race",
            "goal": self.goal,
            "points": list(self.points),
            "to_move": self.to_move,
            "doubled": self.doubled,
            "forfeited": list(self.forfeited),
        }

    def _after(self, seat: int, forfeited: tuple[int, ...]) -> int:
        others = ((seat + distance) % self.players for distance in range(1, self.players + 1))
        return next(other for other in others if other not in forfeited)


class Race(Game):
    """The game; ``goal`` is how many points end it."""

    name: ClassVar[str] = "race"
    title: ClassVar[str] = "Race"
    options: ClassVar[tuple[Option, ...]] = (Option("goal", 10, "the points that end the match"),)

    def setup(self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None) -> State:
        """The initial position; nothing in it is random."""
        self.check_setup(players, seed, options or {})
        return RaceState(goal=(options or {}).get("goal", 10), points=(0,) * players)

    def state_from_json(self, data: object) -> State:
        """The position in a document."""
        try:
            return msgspec.convert(data, RaceState)
        except msgspec.ValidationError as error:
            raise InvalidState(str(error)) from error


RACE = Race()
