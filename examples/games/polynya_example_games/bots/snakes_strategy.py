"""Three ways to play Snakes: to avoid the next death, to keep room, and to look two turns ahead.

Each takes a position and a seat, and gives a direction. ``until`` is when to stop thinking, on the
clock of ``time.monotonic()``, in seconds. Fields are the numbers of the board.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from polynya_example_games.snakes import SNAKES, SnakesState
from polynya_example_games.snakes.state import Rules

Strategy = Callable[[SnakesState, int, random.Random, float], str]

HUNGRY: Final = 30
"""The health below which a snake goes for food in any case."""
LOST: Final = -10_000.0
ANY_WAY: Final = "up"
DEPTH: Final = 2


class OutOfTime(Exception):  # noqa: N818 -- it says what happened
    """The time to think is over."""


def position_of(view: Mapping[str, Any]) -> SnakesState:
    """The position of a view, as if no more food came."""
    state = SNAKES.state_from_json({**view, "deal": "0" * 64, "drawn": 0})
    return replace(state, rules=Rules(0, 0, state.rules.turn_limit))


def obstacles(state: SnakesState) -> set[int]:
    """The fields on which a part of a snake will lie after the next move."""
    return {field for snake in state.snakes for field in snake.body[:-1]}


def safe_ways(state: SnakesState, seat: int, taken: set[int]) -> dict[str, int]:
    """The directions that lead neither over the edge nor onto a body, each with its field."""
    head, board = state.snakes[seat].body[0], state.board
    fields = {way: head + delta for way, delta in board.deltas.items()}
    return {
        way: field for way, field in fields.items() if field in board.inside and field not in taken
    }


def contested(state: SnakesState, seat: int) -> set[int]:
    """The fields onto which the head of another snake, as long or longer, can move."""
    length = len(state.snakes[seat].body)
    return {
        field
        for other in state.staying
        if other != seat and len(state.snakes[other].body) >= length
        for field in state.board.neighbours(state.snakes[other].body[0])
    }


def careful(
    state: SnakesState, seat: int, generator: random.Random, until: float = math.inf
) -> str:
    """A random direction that does not lose at once, and meets no stronger head if possible."""
    del until
    ways = safe_ways(state, seat, obstacles(state))
    danger = contested(state, seat)
    calm = [way for way, field in ways.items() if field not in danger]
    return generator.choice(calm or [*ways] or [ANY_WAY])


def distances(state: SnakesState, starts: Iterable[int], taken: set[int]) -> dict[int, int]:
    """The fields that can be reached from some, each with the number of moves."""
    inside, deltas = state.board.inside, [*state.board.deltas.values()]
    found = dict.fromkeys(starts, 0)
    queue = [*found]
    for field in queue:
        further = found[field] + 1
        for delta in deltas:
            other = field + delta
            if other not in found and other in inside and other not in taken:
                found[other] = further
                queue.append(other)
    return found


def wants_food(state: SnakesState, seat: int) -> bool:
    """Whether a snake is hungry, or not longer than each other."""
    snake = state.snakes[seat]
    others = [len(state.snakes[other].body) for other in state.staying if other != seat]
    return snake.health < HUNGRY or len(snake.body) <= max(others, default=0)


def flood(state: SnakesState, seat: int, generator: random.Random, until: float = math.inf) -> str:
    """The direction with room for the whole snake, then the nearest food if it wants any."""
    del until
    taken, danger = obstacles(state), contested(state, seat)
    ways = safe_ways(state, seat, taken)
    length, eats = len(state.snakes[seat].body), wants_food(state, seat)

    def worth(way: str) -> tuple[float, ...]:
        reached = distances(state, [ways[way]], taken)
        near = min([reached[field] for field in state.food if field in reached], default=99)
        room = min(len(reached), 2 * length)
        return (room >= length, ways[way] not in danger, room, -near if eats else 0)

    order = generator.sample([*ways], len(ways))
    return max(order, key=worth, default=ANY_WAY)


def territory(state: SnakesState, seat: int) -> tuple[int, int]:
    """The fields that a snake reaches before all others, and the moves to its nearest food there.

    Of two that reach a field at once the longer one has it.
    """
    taken = obstacles(state)
    owner: dict[int, int] = {}
    lengths = {other: len(state.snakes[other].body) for other in state.staying}
    order = sorted(lengths, key=lambda other: (lengths[other], other != seat), reverse=True)
    fronts = {other: [state.snakes[other].body[0]] for other in order}
    inside, deltas = state.board.inside, [*state.board.deltas.values()]
    near = 99
    for moves in itertools.count(1):
        for other in order:
            front = []
            for field in fronts[other]:
                for delta in deltas:
                    after = field + delta
                    if after not in owner and after in inside and after not in taken:
                        owner[after] = other
                        front.append(after)
            if other == seat and moves < near and not set(front).isdisjoint(state.food):
                near = moves
            fronts[other] = front
        if not any(fronts.values()):
            return sum(each == seat for each in owner.values()), near
    raise AssertionError("the fields of a board come to an end")


def value(state: SnakesState, seat: int) -> float:
    """How good a position is for a seat: its fields, its length and its health."""
    snake = state.snakes[seat]
    if snake.out is not None:
        return LOST + snake.out.turn - len(state.staying)
    others = [len(state.snakes[other].body) for other in state.staying if other != seat]
    if not others:
        return -LOST
    fields, near = territory(state, seat)
    room = min(0, fields - len(snake.body)) * 20
    hunger = near * 50 / max(1, snake.health - near) if snake.health > near else 2_000
    lead = min(3, len(snake.body) - max(others))
    craving = 1.0 if wants_food(state, seat) else 0.1
    return fields + room + 12 * lead - hunger - craving * near


def rivals(state: SnakesState, seat: int) -> list[int]:
    """The other seats, that with the nearest head first."""
    x, y = state.board.point(state.snakes[seat].body[0])

    def distance(other: int) -> int:
        other_x, other_y = state.board.point(state.snakes[other].body[0])
        return abs(x - other_x) + abs(y - other_y)

    return sorted([other for other in state.staying if other != seat], key=distance)


def best(
    state: SnakesState, seat: int, depth: int, generator: random.Random, until: float
) -> tuple[float, str]:
    """The best direction against the worst answer of the nearest rival, and its value.

    All other snakes move as :func:`careful` does.

    Raises:
        OutOfTime: it is later than ``until``.
    """
    if time.monotonic() > until:
        raise OutOfTime
    if depth == 0 or len(state.acting) < 2 or seat not in state.acting:
        return value(state, seat), ANY_WAY
    taken = obstacles(state)
    nearest, *others = rivals(state, seat)
    steps = {other: ("move", careful(state, other, generator)) for other in others}
    answers = [*safe_ways(state, nearest, taken)] or [ANY_WAY]
    found = (LOST * 2, ANY_WAY)
    for way in [*safe_ways(state, seat, taken)] or [ANY_WAY]:
        worst = -LOST * 2
        for answer in answers:
            turn = {**steps, seat: ("move", way), nearest: ("move", answer)}
            after = state.apply_joint(turn)
            worst = min(worst, best(after, seat, depth - 1, generator, until)[0])
            if worst <= found[0]:
                break
        found = max(found, (worst, way))
    return found


def search(state: SnakesState, seat: int, generator: random.Random, until: float = math.inf) -> str:
    """The direction that is best after two turns; after one, or by :func:`flood`, without time."""
    chosen = flood(state, seat, generator)
    for depth in range(1, DEPTH + 1):
        try:
            chosen = best(state, seat, depth, generator, until)[1]
        except OutOfTime:
            break
    return chosen


STRATEGIES: Final[Mapping[str, Strategy]] = {"careful": careful, "flood": flood, "search": search}
