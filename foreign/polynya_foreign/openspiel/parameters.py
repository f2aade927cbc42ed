"""OpenSpiel's parameters as set-up options: their types, their form in documents, their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from polynya_games import InvalidOption, Option
from polynya_games.errors import describe

Value = bool | int | str
"""A value in a document: a float is its shortest decimal text, ``"7.5"``."""

PLAYERS: Final = ("players", "num_players", "numPlayers")
"""The parameters that are the number of players, which every match has beside its options."""

FIXED: Final[Mapping[str, Any]] = {"ansi_color_output": False}
"""Parameters that are no options, and have these values."""

OWN_DEFAULTS: Final[Mapping[str, Any]] = {"use_double_dummy_result": False}
"""Options that have another default here: bridge's hands are played, because the computation of
their result takes a second, in which no other match could go on."""

_NO_OPTIONS: Final = {
    *PLAYERS,
    *FIXED,
    "boards_file",  # these name files, and a stranger can choose options
    "filename",
    "instances_file",
    "puzzles_root",
    "word_list_file",
    "rng_seed",  # all chance here comes from the match's deal
    "seed",
}
MOST_TEXT: Final = 4_000
_KINDS: Final[Mapping[type, str]] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "a text",
}
_INT_RANGE: Final = 2**31


def options_of(specification: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options of a game.

    Args:
        specification: OpenSpiel's ``parameter_specification``, each parameter with its default.
    """
    return tuple(
        Option(
            name,
            written(OWN_DEFAULTS.get(name, default)),
            f"OpenSpiel's parameter, {_KINDS[type(default)]}",
        )
        for name, default in specification.items()
        if name not in _NO_OPTIONS and type(default) in _KINDS
    )


def written(value: Any) -> Value:
    """A parameter's value as it stands in documents."""
    if isinstance(value, float):
        return repr(value)
    kept: Value = value
    return kept


def parameters(
    specification: Mapping[str, Any], players: int, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The parameters for OpenSpiel that do not have their default, with their types.

    Args:
        specification: OpenSpiel's ``parameter_specification``.
        players: the number of seats.
        options: set-up options by name, those of :func:`options_of`.

    Raises:
        InvalidOption: a value has another type, or is too large.
    """
    values: dict[str, Any] = {}
    for name, default in specification.items():
        if name in PLAYERS:
            values[name] = players
        elif name in FIXED:
            values[name] = FIXED[name]
        elif name in options:
            values[name] = _read(name, options[name], type(default))
        elif name in OWN_DEFAULTS:
            values[name] = OWN_DEFAULTS[name]
    return {name: value for name, value in values.items() if value != specification[name]}


def _read(name: str, value: object, kind: type) -> Any:
    """A value of the type of its parameter; a number may be an integer or a text."""
    if kind is float:
        return _number(name, value)
    if type(value) is not kind:
        raise InvalidOption(f"{name} is {_KINDS[kind]}, not {describe(value)}")
    if isinstance(value, int) and not -_INT_RANGE <= value < _INT_RANGE:
        raise InvalidOption(f"{name} is within 32 bits, and not {describe(value)}")
    if isinstance(value, str) and (len(value) > MOST_TEXT or "\0" in value):
        raise InvalidOption(f"{name} has at most {MOST_TEXT} characters, none of them a NUL")
    return value


def _number(name: str, value: object) -> float:
    if type(value) in (int, float, str):
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if math.isfinite(number) and len(str(value)) <= 40:
            return number
    raise InvalidOption(f"{name} is {_KINDS[float]}, not {describe(value)}")
