"""Whole turns: each distinct position after a turn once, with one list of steps that leads there.

The same position is reached in many ways, by other orders of the same steps above all. Three ideas
keep their number small. Tips that leave the blocks alike are followed up once; others never meet
again, since rotations do not change what is on top. Within action 2 every intermediate position is
expanded once, those with fewer rotations first, since more arcs left never mean less. And rotating
a block without an arrow on top changes nothing for the pawns, so those rotations are found apart
and multiplied in at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from polynya_games.game import Step
from polynya_games.icecult.board import BITS, CIRCLE, ONE, Cube, advanced
from polynya_games.icecult.position import (
    END,
    ENTRIES,
    FIRST_TIPS,
    ROTATIONS,
    SECOND_TIPS,
    advances,
    arrows,
    winners,
)
from polynya_games.icecult.rules import IceCultState

Cubes = tuple[Cube, ...]
Paths = tuple[str, ...]

_Node = tuple[Cubes, Paths, int, int, int, int]
"""An intermediate position: cubes, paths, start, uses, circles left, goal."""


class End(NamedTuple):
    """A position in which action 2 can end.

    Attributes:
        cubes: per position the cube.
        paths: the four paths.
        start: the pawns in the start area, packed.
        goal: the pawns in the goal, packed.
        winners: the seats that have won with it; the turn is not ended by a step then.
        rotations: the fewest rotations of blocks with an arrow on top that lead there.
        steps: steps that lead there, with that many rotations.
    """

    cubes: Cubes
    paths: Paths
    start: int
    goal: int
    winners: tuple[int, ...]
    rotations: int
    steps: list[Step]


@lru_cache(1 << 15)
def _choices(
    path: str, colour: int, position: int, entry: bool
) -> tuple[tuple[Step, int, str, int, int], ...]:
    """The advances by one arrow: step, pawns less in the start area, and what ``advanced`` gives.

    Args:
        path: the path that the arrow points along.
        colour: the arrow's.
        position: the arrow's.
        entry: whether a pawn of that colour is in the start area.
    """
    steps = [*advances(path, colour, position)]
    if entry:
        steps.append(ENTRIES[position])
    return tuple([(step, *_effect(path, colour, step)) for step in steps])


def _effect(path: str, colour: int, step: Step) -> tuple[int, str, int, int]:
    field, index = int(step[2]), int(step[3])
    return (0 if field else ONE[colour], *advanced(path, colour, field, index))


class _Search:
    """The positions found so far, and how each was reached."""

    def __init__(self, state: IceCultState) -> None:
        self.turn = state.turn
        self.arcs = state.arcs_left
        root = (state.cubes, state.paths, state.start, state.uses, state.circles_left, state.goal)
        self.links: dict[_Node, tuple[_Node, Step] | None] = {root: None}
        self.nodes: list[_Node] = [root]
        self.ends: dict[tuple[Cubes, Paths, int], End] = {}

    def run(self) -> list[End]:
        """All ends, those with fewer rotations first."""
        for rotations in range(self.arcs + 1):
            for node in self.nodes:
                if not self.advance(node, rotations):
                    self.end(node, (node, END), (), rotations)
            if rotations < self.arcs:
                self.rotate()
        return list(self.ends.values())

    def advance(self, node: _Node, rotations: int) -> bool:
        """Find what each advance makes of a position; whether there is any."""
        cubes, paths, start, uses, circles_left, goal = node
        possible = False
        for position, colour, way in arrows(cubes):
            again = uses & BITS[position]
            if again and not circles_left:
                continue
            choices = _choices(paths[way], colour, position, start & BITS[colour] != 0)
            possible = possible or choices != ()
            after = [*paths]
            left, used = circles_left - (again != 0), uses + ONE[position]
            for step, entered, after[way], reached, towers in choices:
                other = (cubes, (*after,), start - entered, used, left, goal + reached)
                if (reached or towers) and (won := winners(self.turn, towers, goal + reached)):
                    self.end(other, (node, step), won, rotations)
                else:
                    self.reach(other, (node, step))
        return possible

    def rotate(self) -> None:
        """Go on from all positions of this round by one rotation of a block with an arrow."""
        nodes, self.nodes = self.nodes, []
        for node in nodes:
            for arrow in arrows(node[0]):
                for turn in ("cw", "ccw"):
                    step = ("rotate", arrow.position, turn)
                    self.reach((rotated(node[0], arrow.position, turn), *node[1:]), (node, step))

    def reach(self, node: _Node, link: tuple[_Node, Step]) -> None:
        """Note a position that is to be expanded, unless it is known."""
        if node not in self.links:
            self.links[node] = link
            self.nodes.append(node)

    def end(
        self, node: _Node, link: tuple[_Node, Step], won: tuple[int, ...], rotations: int
    ) -> None:
        """Note a position in which the turn ends, unless it is known."""
        cubes, paths, start, _, _, goal = node
        if (cubes, paths, start) not in self.ends:
            steps = self.steps(link)
            self.ends[cubes, paths, start] = End(cubes, paths, start, goal, won, rotations, steps)

    def steps(self, link: tuple[_Node, Step] | None) -> list[Step]:
        """The steps that lead along the links to the last one."""
        steps = []
        while link is not None:
            node, step = link
            steps.append(step)
            link = self.links[node]
        return steps[::-1]


def rotated(cubes: Cubes, position: int, turn: str) -> Cubes:
    """The cubes after the one at ``position`` has been rotated."""
    return (*cubes[:position], cubes[position].turned[turn], *cubes[position + 1 :])


def _ends(state: IceCultState) -> list[End]:
    """Every position in which action 2 can end, blocks without an arrow on top left as they are.

    Args:
        state: a position in the phase ``act``.
    """
    return _Search(state).run()


_Spins = list[tuple[Cubes, tuple[Step, ...]]]
"""Cubes, and the rotations of blocks without an arrow on top that make them."""


def turns(state: IceCultState) -> Iterator[list[Step]]:
    """One list of steps per distinct position after the turn.

    Args:
        state: any position; in the middle of a turn the lists hold the rest of that turn.
    """
    for steps, _ in successors(state):
        yield steps


def successors(state: IceCultState) -> Iterator[tuple[list[Step], IceCultState]]:
    """Each distinct position after the turn, with one list of steps that leads there.

    Args:
        state: any position; none follows one in which the match is over.
    """
    if state.phase == "act":
        yield from _after_action_two((), state)
    elif state.phase == "tip":
        for tips, tipped in _tipped(state):
            yield from _after_action_two(tips, tipped)


def _tipped(state: IceCultState) -> Iterator[tuple[tuple[Step, ...], IceCultState]]:
    """Each distinct position of the blocks after action 1, with the tips that are still to make."""
    found: set[Cubes] = set()
    for tips in _tips(state):
        tipped = state
        for tip in tips:
            tipped = tipped.apply_legal(tip)
        if tipped.cubes not in found:
            found.add(tipped.cubes)
            yield tips, tipped


def _tips(state: IceCultState) -> Iterator[tuple[Step, ...]]:
    if state.turn.tips:
        yield from ((second,) for second in state.legal_steps())
    else:
        yield from ((first, second) for first in FIRST_TIPS for second in SECOND_TIPS[first])


def _after_action_two(
    tips: tuple[Step, ...], state: IceCultState
) -> Iterator[tuple[list[Step], IceCultState]]:
    idle = _idle_rotations(state.cubes, state.arcs_left)
    following = state.turn.following()
    combined: dict[tuple[Cubes, int], _Spins] = {}
    for end in _ends(state):
        left = state.arcs_left - end.rotations
        if (end.cubes, left) not in combined:
            combined[end.cubes, left] = _combined(end.cubes, idle, left)
        turn = state.turn.over(end.winners) if end.winners else following
        for cubes, rotations in combined[end.cubes, left]:
            after = IceCultState(turn, cubes, end.paths, end.start, end.goal)
            yield [*tips, *rotations, *end.steps], after


def _idle_rotations(cubes: Cubes, arcs: int) -> _Spins:
    """The cubes after rotations of blocks without an arrow on top, fewest rotations first."""
    steps = [step for step in ROTATIONS if cubes[int(step[1])].symbol >= CIRCLE]
    found: dict[Cubes, tuple[Step, ...]] = {cubes: ()}
    for before in ([*found] for _ in range(arcs)):
        for cubes_before in before:
            for step in steps:
                found.setdefault(
                    rotated(cubes_before, int(step[1]), str(step[2])), (*found[cubes_before], step)
                )
    return [*found.items()]


def _combined(cubes: Cubes, idle: _Spins, left: int) -> _Spins:
    """The cubes with arrows on top as in ``cubes``, the others as ``left`` rotations make them."""
    return [
        (tuple([a if a.symbol < CIRCLE else b for a, b in zip(cubes, other, strict=True)]), steps)
        for other, steps in idle
        if len(steps) <= left
    ]
