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

from polynya_games.game import Step
from polynya_games.icecult.action_two import Cubes, ends, rotated
from polynya_games.icecult.blocks import CIRCLE
from polynya_games.icecult.legal_steps import FIRST_TIPS, ROTATIONS, SECOND_TIPS
from polynya_games.icecult.state import IceCultState

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
    for end in ends(state):
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
