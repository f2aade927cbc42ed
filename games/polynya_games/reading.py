"""Reading a hostile document: each value is checked, and what is wrong is named by its key path.

Every reader takes the value and its path (``fish[3]``), gives the value back as an immutable
Python one and raises :class:`InvalidState` with a sentence that begins with the path. Integers are
never booleans or floats, and nothing is converted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from polynya_games.errors import InvalidState, describe
from polynya_games.refusals import COMMON, refusal

T = TypeVar("T")


def read_keys(data: object, keys: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """A document that has ``keys``, perhaps some of ``optional``, and no others."""
    if not isinstance(data, dict):
        raise _invalid("no_object", value=describe(data))
    for key in keys:
        if key not in data:
            raise _invalid("missing_key", key=key)
    for key in data:
        if key not in keys and key not in optional:
            raise _invalid("unknown_key", key=describe(key))
    return data


def read_game(
    data: object, name: str, keys: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, Any]:
    """A document of the game ``name`` with ``keys``, "game" among them, and no others."""
    document = read_keys(data, keys, optional)
    read_choice(document["game"], "game", [name])
    return document


def read_integer(value: object, path: str, low: int, high: int) -> int:
    """An integer from ``low`` to ``high``, both included."""
    if type(value) is not int or not low <= value <= high:
        raise _invalid("out_of_range", key=path, least=low, most=high, value=describe(value))
    return value


def read_boolean(value: object, path: str) -> bool:
    """``true`` or ``false``, and no number."""
    if type(value) is not bool:
        raise _invalid("no_boolean", key=path, value=describe(value))
    return value


def read_choice(value: object, path: str, choices: Sequence[T]) -> T:
    """One of ``choices``, of the same type too: ``1`` is neither ``True`` nor ``1.0``."""
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    wanted = " or ".join(describe(choice) for choice in choices)
    raise _invalid("other_value", key=path, choices=wanted, value=describe(value))


def read_list(value: object, path: str, length: int | None = None) -> Sequence[Any]:
    """A list (or tuple), of ``length`` elements where that is given."""
    if not isinstance(value, (list, tuple)):
        raise _invalid("no_list", key=path, value=describe(value))
    if length is not None and len(value) != length:
        raise _invalid("wrong_length", key=path, length=length, count=len(value))
    return value


def read_each(
    value: object, path: str, read: Callable[[object, str], T], length: int | None = None
) -> tuple[T, ...]:
    """A list whose every element ``read(element, path)`` accepts; ``path`` is then ``fish[3]``."""
    elements = read_list(value, path, length)
    return tuple([read(element, f"{path}[{index}]") for index, element in enumerate(elements)])


def read_integers(
    value: object, path: str, low: int, high: int, length: int | None = None
) -> tuple[int, ...]:
    """A list of integers from ``low`` to ``high``, both included."""
    return read_each(value, path, lambda element, at: read_integer(element, at, low, high), length)


def read_booleans(value: object, path: str, length: int) -> tuple[bool, ...]:
    """A list of ``length`` booleans."""
    return read_each(value, path, read_boolean, length)


def read_ascending(value: object, path: str, low: int, high: int) -> tuple[int, ...]:
    """A list of different integers from ``low`` to ``high``, in ascending order."""
    numbers = read_integers(value, path, low, high)
    if any(left >= right for left, right in itertools.pairwise(numbers)):
        raise _invalid("not_ascending", key=path)
    return numbers


def read_seats(value: object, path: str, players: int) -> tuple[int, ...]:
    """A list of different seats, in any order, as ``forfeited`` is."""
    seats = read_integers(value, path, 0, players - 1)
    if len(set(seats)) != len(seats):
        raise _invalid("seat_twice", key=path)
    return seats


def read_groups(value: object, path: str, players: int) -> tuple[tuple[int, ...], ...]:
    """Lists of seats, each seat in one of them, as ``forfeited`` is in games with joint turns."""
    groups = read_each(value, path, lambda group, at: read_ascending(group, at, 0, players - 1))
    read_seats([seat for group in groups for seat in group], path, players)
    if not all(groups):
        raise _invalid("empty_group", key=path)
    return groups


def read_seat_or_none(value: object, path: str, players: int) -> int | None:
    """A seat, or None, as ``to_move`` is."""
    return None if value is None else read_integer(value, path, 0, players - 1)


def _invalid(code: str, **fields: Any) -> InvalidState:
    return refusal(InvalidState, COMMON, code, **fields)
