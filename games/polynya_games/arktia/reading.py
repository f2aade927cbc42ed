"""A position read back from its document: its form; ``plausibility`` asks whether it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from polynya_games.arktia.muglus import CODES, KINDS, Muglu, Stack, reserve_of, shape
from polynya_games.arktia.packing import CELLS, pack
from polynya_games.arktia.plausibility import check_position
from polynya_games.arktia.rules_config import NEUTRALS, RulesConfig, muglus_in_opening
from polynya_games.arktia.setup import board_from
from polynya_games.arktia.state import ArktiaState
from polynya_games.errors import InvalidOption, InvalidState, describe
from polynya_games.reading import (
    read_booleans,
    read_choice,
    read_each,
    read_game,
    read_integer,
    read_integers,
    read_list,
    read_seat_or_none,
    read_seats,
)

KEYS = (
    "game",
    "players",
    "phase",
    "round",
    "to_move",
    "rows",
    "ice",
    "stacks",
    "reserve",
    "neutral_reserve",
    "taken",
    "melted",
    "points",
    "out",
    "forfeited",
    "round_limit",
    "owes",
)
PHASES = ("neutral", "opening", "main", "over")
MANY = 2 * CELLS
"""More than there are muglus and tiles together."""


def read_state(data: object) -> ArktiaState:
    """The position that a document describes.

    Raises:
        InvalidState: the document has another form, or no match comes to such a position.
    """
    document = read_game(data, "arktia", KEYS)
    rules = _rules(document)
    state = _state(document, rules)
    if state.points != read_integers(document["points"], "points", 0, MANY, rules.players):
        raise InvalidState(f"points is {list(state.points)} in this position")
    check_position(state)
    return state


def _rules(document: dict[str, Any]) -> RulesConfig:
    """The constants of the match; one neutral muglu at least is on the board or in a reserve."""
    players = read_integer(document["players"], "players", min(NEUTRALS), max(NEUTRALS))
    limit = document["round_limit"]
    if type(limit) is not int or limit < 1:
        raise InvalidState(f"round_limit is an integer from 1, not {describe(limit)}")
    neutrals = len(NEUTRALS[players]) > 1 and _has_neutrals(document, players)
    if len(NEUTRALS[players]) == 1:
        neutrals = NEUTRALS[players][0]
    try:
        board = board_from(document["rows"], muglus_in_opening(players, neutrals))
    except InvalidOption as error:
        raise InvalidState(str(error), error.code, error.fields) from error
    return RulesConfig(players, neutrals, board, limit)


def _has_neutrals(document: dict[str, Any], players: int) -> bool:
    """Whether neutral muglus take part: they are never all gone."""
    reserves = read_each(document["neutral_reserve"], "neutral_reserve", read_list)
    stacks = read_each(document["stacks"], "stacks", read_list)
    standing = [muglu for stack in stacks for muglu in stack]
    return any(count != 0 for held in reserves for count in held) or any(
        isinstance(muglu, (list, tuple)) and muglu and muglu[0] == players for muglu in standing
    )


def _state(document: dict[str, Any], rules: RulesConfig) -> ArktiaState:
    """The document's values in the form of a state, each in its own range."""
    players, cells = rules.players, rules.board.cells
    stacks = read_each(document["stacks"], "stacks", _stack_of(rules), cells)
    return ArktiaState(
        rules=rules,
        packed=pack(stacks),
        ice=_mask(read_integers(document["ice"], "ice", 0, 1, cells)),
        reserves=_reserves(document, "reserve", players, 3),
        neutral_reserves=_reserves(document, "neutral_reserve", players, int(rules.neutrals)),
        taken=read_integers(document["taken"], "taken", 0, MANY, players),
        melted=read_integers(document["melted"], "melted", 0, MANY, players),
        out=_mask(read_booleans(document["out"], "out", players)),
        forfeited=read_seats(document["forfeited"], "forfeited", players),
        phase=read_choice(document["phase"], "phase", PHASES),
        round=read_integer(document["round"], "round", 0, rules.round_limit),
        to_move=read_seat_or_none(document["to_move"], "to_move", players),
        owes=read_choice(document["owes"], "owes", (None, "keep", "melt")),
    )


def _reserves(document: dict[str, Any], key: str, players: int, most: int) -> tuple[int, ...]:
    def read(value: object, path: str) -> int:
        return reserve_of(read_integers(value, path, 0, most, len(KINDS)))

    return read_each(document[key], key, read, players)


def _stack_of(rules: RulesConfig) -> Callable[[object, str], Stack]:
    """How to read one cell's stack of the colours in play."""

    def read_muglu(value: object, path: str) -> Muglu:
        colour, kind = read_list(value, path, 2)
        number = read_integer(colour, f"{path}[0]", 0, rules.colours[-1])
        return number, read_choice(kind, f"{path}[1]", tuple(KINDS))

    def read_stack(value: object, path: str) -> Stack:
        stack = read_each(value, path, read_muglu)
        if stack not in CODES:
            raise InvalidState(f"{path}: a stack {describe(shape(stack))} does not exist")
        return stack

    return read_stack


def _mask(values: Sequence[int]) -> int:
    return sum(1 << index for index, value in enumerate(values) if value)
