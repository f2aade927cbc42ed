"""A position: cubes, paths and packed counts in an immutable struct, and what steps make of it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from polynya_games.game import Outcome, Step
from polynya_games.icecult.blocks import Cube
from polynya_games.icecult.legal_steps import (
    END,
    ENTRIES,
    FIRST_TIPS,
    PAIRS,
    ROTATIONS,
    SECOND_TIPS,
    advances,
    arcs,
    circles,
)
from polynya_games.icecult.paths import BITS, ONE, advanced, unpack
from polynya_games.icecult.step_check import checked_forfeit, checked_step
from polynya_games.icecult.turn_order import Turn, outcome, winners
from polynya_games.icecult.writing import write_state

Phase = Literal["tip", "act", "over"]


class IceCultState(msgspec.Struct, frozen=True, gc=False):
    """A position of Ice Cult.

    Attributes:
        turn: whose turn it is, its number and its tips, and the seats that have forfeited.
        cubes: per position the block there in its orientation, see ``blocks``.
        paths: the paths N, E, S, W, see ``paths``.
        start: the pawns of each colour in the start area, packed, see ``paths``.
        goal: the pawns of each colour in the goal, packed.
        uses: the uses of the arrow at each position in this turn, packed.
        circles_left: the circles on top that have not been used in this turn.
        arcs_left: the arcs on top that have not been used in this turn.
    """

    turn: Turn
    cubes: tuple[Cube, ...]
    paths: tuple[str, ...]
    start: int
    goal: int
    uses: int = 0
    circles_left: int = 0
    arcs_left: int = 0

    @property
    def players(self) -> int:
        """The number of seats, 2 to 4."""
        return self.turn.players

    @property
    def to_move(self) -> int | None:
        """The seat to move, None when the match is over."""
        return self.turn.seat

    @property
    def phase(self) -> Phase:
        """The action that the next step belongs to, or that the match is over."""
        if self.turn.seat is None:
            return "over"
        return "act" if len(self.turn.tips) == 2 else "tip"

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way: nothing has been tipped yet, or the match is over."""
        return not self.turn.tips

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that have forfeited, in that order."""
        return self.turn.forfeited

    @property
    def in_goal(self) -> tuple[int, ...]:
        """Per seat the pawns of its colour in the goal."""
        return tuple(unpack(self.goal)[: self.turn.players])

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, None while it goes on; the scores are the pawns in the goal."""
        if self.turn.seat is not None:
            return None
        return outcome(self.turn, self.paths, self.goal)

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted; none when the match is over."""
        tips = self.turn.tips
        if len(tips) < 2:
            if self.turn.seat is None:
                return []
            return [*SECOND_TIPS[tips[0]]] if tips else [*FIRST_TIPS]
        steps = self.legal_advances() or [END]
        if self.arcs_left:
            steps += ROTATIONS
        return steps

    def legal_advances(self) -> list[Step]:
        """The legal steps that advance a pawn, sorted; only for the phase ``act``."""
        steps: list[Step] = []
        start, uses, circles_left, paths = self.start, self.uses, self.circles_left, self.paths
        for position, cube in enumerate(self.cubes):
            path = cube.path
            if path is not None and (circles_left or not uses & BITS[position]):
                colour = cube.symbol
                if start & BITS[colour]:
                    steps.append(ENTRIES[position])
                steps += advances(paths[path], colour, position)
        return steps

    def apply(self, step: object) -> IceCultState:
        """The position after ``step``, which is checked first.

        Raises:
            InvalidStep: it has not the form of one of the four steps.
            IllegalStep: the position does not allow it; the message says why.
        """
        return self.apply_legal(checked_step(self, step))

    def apply_legal(self, step: Step) -> IceCultState:
        """The position after a step that came from ``legal_steps()``, without checking it again."""
        verb = step[0]
        if verb == "advance":
            return self._advance(step)
        if verb == "tip":
            return self._tip(step)
        if verb == "rotate":
            return self._rotate(step)
        return IceCultState(self.turn.following(), self.cubes, self.paths, self.start, self.goal)

    def _tip(self, step: Any) -> IceCultState:
        turn = self.turn
        _, pair, direction = step
        cubes = [*self.cubes]
        one, other = PAIRS[pair]
        cubes[one] = cubes[one].turned[direction]
        cubes[other] = cubes[other].turned[direction]
        tops = tuple(cubes)
        tipped = Turn(
            turn.players, turn.limit, turn.number, turn.seat, turn.forfeited, (*turn.tips, step)
        )
        if not turn.tips:
            return IceCultState(tipped, tops, self.paths, self.start, self.goal)
        return IceCultState(
            tipped, tops, self.paths, self.start, self.goal, 0, circles(tops), arcs(tops)
        )

    def _rotate(self, step: Any) -> IceCultState:
        _, position, turn = step
        cubes = [*self.cubes]
        cubes[position] = cubes[position].turned[turn]
        return replace(self, cubes=tuple(cubes), arcs_left=self.arcs_left - 1)

    def _advance(self, step: Any) -> IceCultState:
        _, position, field, index = step
        cubes, uses, start, circles_left = self.cubes, self.uses, self.start, self.circles_left
        cube = cubes[position]
        colour = cube.symbol
        way: Any = cube.path
        paths = [*self.paths]
        paths[way], reached, towers = advanced(paths[way], colour, field, index)
        if uses & BITS[position]:
            circles_left -= 1
        if not field:
            start -= ONE[colour]
        goal = self.goal + reached
        if (towers or reached) and (won := winners(self.turn, towers, goal)):
            return IceCultState(self.turn.over(won), cubes, tuple(paths), start, goal)
        uses += ONE[position]
        return IceCultState(
            self.turn, cubes, tuple(paths), start, goal, uses, circles_left, self.arcs_left
        )

    def forfeit(self, seat: int) -> IceCultState:
        """The position after ``seat`` has forfeited; its pawns stay, as neutral ones.

        Raises:
            IllegalForfeit: there is no such seat, it is out already, or a turn is under way.
        """
        leaving = checked_forfeit(self, seat)
        return replace(self, turn=self.turn.without(leaving))

    def to_json(self) -> dict[str, Any]:
        """The state as bots and tools see it (rules, "State, as bots and tools see it")."""
        return write_state(self)
