"""Documents: a position read back, and what no match comes to refused."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from polynya_example_games.joint import read_common
from polynya_example_games.snakes.board import LEAST_SIZE, MOST_SIZE, Board, board_of
from polynya_example_games.snakes.state import (
    CAUSES,
    FIRST_PARTS,
    FULL_HEALTH,
    Out,
    Rules,
    Snake,
    SnakesState,
)
from polynya_games import InvalidState
from polynya_games.reading import (
    read_choice,
    read_each,
    read_integer,
    read_integers,
    read_keys,
    read_list,
)

LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "minimum_food": (0, 8),
    "food_chance": (0, 100),
    "turn_limit": (1, 100_000),
}
"""By option: the least and the greatest value."""

KEYS: Final = ("size", "turn", "snakes", "food", "options", "deal", "drawn", "forfeited")


def is_size(value: object) -> bool:
    """Whether there is a board of this size."""
    return type(value) is int and value in range(LEAST_SIZE, MOST_SIZE + 1, 2)


def read_state(data: object, players: range) -> SnakesState:
    """The position of a document.

    Args:
        data: any value.
        players: the numbers of players that are possible.

    Raises:
        InvalidState: the document has another form, or describes what no match comes to.
    """
    document = read_keys(data, KEYS)
    if not is_size(document["size"]):
        raise InvalidState(f"size is an odd number from {LEAST_SIZE} to {MOST_SIZE}")
    board, rules = board_of(document["size"]), _rules(document["options"])
    turn = read_integer(document["turn"], "turn", 0, rules.turn_limit)
    snakes = read_each(
        document["snakes"], "snakes", lambda each, path: _snake(each, path, board, turn)
    )
    if len(snakes) not in players:
        raise InvalidState(f"snakes has {players[0]} to {players[-1]} entries")
    state = SnakesState(
        board=board,
        snakes=snakes,
        food=read_each(document["food"], "food", lambda each, path: _field(each, path, board)),
        rules=rules,
        turn=turn,
        **read_common(document, len(snakes)),
    )
    _check_fields(state)
    _check_forfeits(state)
    _check_turns(state)
    return state


def _rules(data: object) -> Rules:
    options = read_keys(data, tuple(LIMITS))
    return Rules(
        **{
            name: read_integer(options[name], f"options.{name}", *limits)
            for name, limits in LIMITS.items()
        }
    )


def _field(data: object, path: str, board: Board) -> int:
    x, y = read_integers(data, path, 0, board.size - 1, 2)
    return board.field(x, y)


def _snake(data: object, path: str, board: Board, turn: int) -> Snake:
    if not isinstance(data, dict) or set(data) != {"body", "health", "out"}:
        raise InvalidState(f"{path} has the keys body, health and out")
    out = None if data["out"] is None else _out(data["out"], f"{path}.out", turn)
    fields = read_list(data["body"], f"{path}.body", None if out is None else 0)
    body = read_each(fields, f"{path}.body", lambda each, at: _field(each, at, board))
    health = read_integer(data["health"], f"{path}.health", 0, FULL_HEALTH)
    if (health == 0) != (out is not None and out.cause == "health"):
        raise InvalidState(f"{path}.health is 0 exactly if the snake is out by its health")
    if out is None:
        _check_body(body, path, board)
    return Snake(body, health, out)


def _out(data: object, path: str, turn: int) -> Out:
    if not isinstance(data, dict) or set(data) != {"cause", "turn"}:
        raise InvalidState(f"{path} has the keys cause and turn")
    cause = read_choice(data["cause"], f"{path}.cause", CAUSES)
    last = turn + 1 if cause == "forfeit" else turn
    return Out(cause, read_integer(data["turn"], f"{path}.turn", 1, last))


def _check_body(body: Sequence[int], path: str, board: Board) -> None:
    """The parts are beside each other; only the last parts can be on one field, three at most."""
    if len(body) < FIRST_PARTS:
        raise InvalidState(f"{path}.body has {FIRST_PARTS} parts or more")
    places = list(dict.fromkeys(body))
    stacked = len(body) - len(places)
    if stacked >= FIRST_PARTS or body != (*places, *[places[-1]] * stacked):
        raise InvalidState(f"{path}.body has only its last parts on one field, three at most")
    if any(after not in board.neighbours(field) for field, after in itertools.pairwise(places)):
        raise InvalidState(f"{path}.body is in one piece")


def _check_fields(state: SnakesState) -> None:
    """No two snakes, and no snake and food, are on one field; food is sorted."""
    taken = [field for snake in state.snakes for field in set(snake.body)]
    if len(set(taken)) != len(taken):
        raise InvalidState("two snakes are not on one field")
    if any(left >= right for left, right in itertools.pairwise(state.food)):
        raise InvalidState("food is sorted, each field once")
    if not set(taken).isdisjoint(state.food):
        raise InvalidState("food is not on a field of a snake")


def _check_forfeits(state: SnakesState) -> None:
    """The snakes that are out by a forfeit are those in ``forfeited``, in the order of turns."""
    by_forfeit = {
        seat: snake.out.turn
        for seat, snake in enumerate(state.snakes)
        if snake.out is not None and snake.out.cause == "forfeit"
    }
    if set(by_forfeit) != set(state.forfeited):
        raise InvalidState("forfeited names the snakes that are out by a forfeit")
    turns = [sorted({by_forfeit[seat] for seat in group}) for group in state.gone]
    if any(len(each) > 1 for each in turns) or turns != sorted(turns):
        raise InvalidState("seats that left together are out in one turn, later ones no earlier")


def _check_turns(state: SnakesState) -> None:
    """In each turn that was played at least two snakes lived; after the last no seat forfeits."""
    ends = [snake.out.turn for snake in state.snakes if snake.out is not None]
    begun = max([state.turn, *ends])
    if begun and state.players - sum(end < begun for end in ends) < 2:
        raise InvalidState("the match is over when one snake lives")
    if begun > state.rules.turn_limit:
        raise InvalidState("after the last turn no seat forfeits")
    if begun > state.turn and len(ends) == state.players:
        raise InvalidState("a turn in which all forfeit is played")
