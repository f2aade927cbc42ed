"""A position, the steps that it allows, the seat to move, and the winners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from polynya_games.game import Outcome, Step, Termination
from polynya_games.icecult.board import BITS, FIELDS, PAWNS, Cube, pawns, unpack
from polynya_games.ranking import ranking

PAIRS = {"N": (0, 1), "E": (1, 2), "S": (3, 2), "W": (0, 3)}
"""The pairs of adjacent blocks: the positions of the two."""

DIRECTIONS = {"N": "NS", "S": "NS", "E": "EW", "W": "EW"}
"""Pair: the directions in which it can be tipped, in ascending order."""

OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}

END: Step = ("end",)

FIRST_TIPS: tuple[Step, ...] = tuple(
    [("tip", pair, direction) for pair in sorted(PAIRS) for direction in DIRECTIONS[pair]]
)


def _undoing(tip: Step) -> Step:
    return ("tip", tip[1], OPPOSITE[str(tip[2])])


SECOND_TIPS: dict[Step, tuple[Step, ...]] = {
    first: tuple([step for step in FIRST_TIPS if step != _undoing(first)]) for first in FIRST_TIPS
}
"""First tip: the second tips that do not undo it."""

ROTATIONS: tuple[Step, ...] = tuple(
    [("rotate", position, turn) for position in range(4) for turn in ("ccw", "cw")]
)

ENTRIES: tuple[Step, ...] = tuple([("advance", position, 0, 0) for position in range(4)])
"""Per position the advance of a pawn from the start area."""


class Arrow(NamedTuple):
    """An arrow on top."""

    position: int
    colour: int
    path: int


@lru_cache(1 << 15)
def arrows(cubes: tuple[Cube, ...]) -> tuple[Arrow, ...]:
    """The arrows on top of the four blocks, by position."""
    tops = enumerate(cubes)
    return tuple(
        [Arrow(at, cube.symbol, path) for at, cube in tops if (path := cube.path) is not None]
    )


def arcs(cubes: tuple[Cube, ...]) -> int:
    """The number of arcs on top."""
    one, two, three, four = cubes
    return one.arcs + two.arcs + three.arcs + four.arcs


def circles(cubes: tuple[Cube, ...]) -> int:
    """The number of circles on top."""
    one, two, three, four = cubes
    return one.circles + two.circles + three.circles + four.circles


@lru_cache(1 << 15)
def advances(path: str, colour: int, position: int) -> tuple[Step, ...]:
    """The advances of pawns on a path by the arrow of their colour at ``position``, sorted."""
    return tuple([("advance", position, field, index) for field, index in pawns(path, colour)])


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A turn under way, or the end of the match.

    Attributes:
        players: the number of seats, 2 to 4.
        limit: the number of the last turn of the match, 1 or more.
        number: counts the turns of all players, from 1.
        seat: the seat to move, None when the match is over.
        forfeited: the seats that forfeited, in that order.
        tips: the tips of this turn so far, as steps.
        winners: the seats that won by tower or goal, ascending.
    """

    players: int
    limit: int
    number: int = 1
    seat: int | None = 0
    forfeited: tuple[int, ...] = ()
    tips: tuple[Step, ...] = ()
    winners: tuple[int, ...] = ()

    def live(self) -> list[int]:
        """The seats that have not forfeited, ascending."""
        return [seat for seat in range(self.players) if seat not in self.forfeited]

    def following(self) -> Turn:
        """The turn of the next player, or the end of the match if this was the last turn."""
        if self.number >= self.limit:
            return self.over()
        seat = next_seat(self.players, self.forfeited, self.seat or 0)
        return Turn(self.players, self.limit, self.number + 1, seat, self.forfeited)

    def over(self, winners: tuple[int, ...] = ()) -> Turn:
        """The end of the match in or after this turn."""
        return replace(self, seat=None, tips=(), winners=winners)

    def without(self, seat: int) -> Turn:
        """The turn after ``seat`` forfeits between turns for the first time.

        If it was its turn, that counts as played (rules, "Forfeit").
        """
        rest = replace(self, forfeited=(*self.forfeited, seat))
        if len(rest.forfeited) == self.players - 1:
            return rest.over()
        return rest.following() if self.seat == seat else rest


def next_seat(players: int, forfeited: tuple[int, ...], seat: int) -> int:
    """The first seat after ``seat`` that has not forfeited."""
    others = [(seat + distance) % players for distance in range(1, players)]
    return next(other for other in others if other not in forfeited)


def winners(turn: Turn, towers: int, goal: int) -> tuple[int, ...]:
    """The seats that win at once after an advance (rules, "End of the game"), ascending.

    Args:
        turn: the turn in which it was made.
        towers: the bits ``1 << colour`` of the colours that stand in one stack.
        goal: the pawns of each colour in the goal, packed.
    """
    there = fulfilling(turn, towers, goal)
    return (turn.seat,) if turn.seat in there else there


def fulfilling(turn: Turn, towers: int, goal: int) -> tuple[int, ...]:
    """The seats that have not forfeited and have a tower or all pawns in the goal, ascending."""
    reached = unpack(goal)
    return tuple(
        [seat for seat in turn.live() if towers >> seat & 1 or reached[seat] == PAWNS],
    )


def outcome(turn: Turn, paths: Iterable[str], goal: int) -> Outcome:
    """How a match that is over ended; the scores are the pawns in the goal.

    Args:
        turn: the end, with the winners if there are any.
        paths: the four paths.
        goal: the pawns of each colour in the goal, packed.
    """
    scores = tuple(unpack(goal)[: turn.players])
    if turn.winners:
        won = [seat in turn.winners for seat in range(turn.players)]
        return Outcome(Termination.VICTORY, ranking(won, turn.forfeited), scores)
    ahead = list(zip(scores, progress(paths, scores), strict=True))
    alone = len(turn.forfeited) == turn.players - 1
    termination = Termination.FORFEIT if alone else Termination.LIMIT
    return Outcome(termination, ranking(ahead, turn.forfeited), scores)


def progress(paths: Iterable[str], reached: Sequence[int]) -> list[int]:
    """Per colour the sum of fields over all its pawns: start 0, field k counts k, goal 6.

    Args:
        paths: the four paths.
        reached: the pawns in the goal, of each colour that is asked for, from colour 0 on.
    """
    fields = [(FIELDS + 1) * pawns for pawns in reached]
    for path in paths:
        for field, stack in enumerate(path.split("/"), 1):
            for colour in range(len(fields)):
                fields[colour] += field * stack.count(str(colour))
    return fields


Phase = Literal["tip", "act", "over"]


class Position(msgspec.Struct, frozen=True, gc=False):
    """A position of Ice Cult, without what steps make of it.

    Attributes:
        turn: whose turn it is, its number and its tips, and the seats that have forfeited.
        cubes: per position the block there in its orientation, see ``board``.
        paths: the paths N, E, S, W, see ``board``.
        start: the pawns of each colour in the start area, packed, see ``board``.
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
