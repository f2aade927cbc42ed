"""The values that a bot sends: remarks that never cost a match, and whole numbers of any type.

Remarks that cannot be sent as a whole are left out, and the move goes without them.
"""

from __future__ import annotations

import logging
import math
import numbers
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from polynya_client.codec import MAX_NESTING, packed
from polynya_client.errors import printable
from polynya_client.events import Steps
from polynya_client.turn import TurnFacts

logger = logging.getLogger("polynya_client")

MAX_INFO_BYTES = 1024
_LEAST, _MOST = -(2**63), 2**64 - 1


class _Unsendable(Exception):  # noqa: N818 - it never leaves this module
    """An error in a bot's remarks."""


class Remarks:
    """The part of a bot's remarks that can be sent; the author learns once of the others."""

    def __init__(self) -> None:
        self._told = False

    def of(self, turn: TurnFacts) -> dict[str, Any] | None:
        """The remarks of a turn, None if there are none that can be sent."""
        try:
            return _sendable(turn.info)
        except Exception as error:  # values of any type, whose methods may do anything
            if not self._told:
                self._told = True
                match, why = printable(turn.match.id), printable(f"{error}", 200)
                logger.warning(
                    "turn %d of match %s is sent without its info: %s (this is said once)",
                    turn.number,
                    match,
                    why or type(error).__name__,
                )
            return None


def _sendable(info: Any) -> dict[str, Any] | None:
    """``info`` in plain values.

    Raises:
        _Unsendable: it is no map, holds what the protocol does not know, or is too large.
    """
    if info is None:
        return None
    if not isinstance(info, Mapping):
        raise _Unsendable(f"it is a {type(info).__name__}, no dict")
    plain: dict[str, Any] = _Plain().value(info, MAX_NESTING - 1)
    if (size := len(packed(plain))) > MAX_INFO_BYTES:
        raise _Unsendable(f"it has {size} bytes, over the limit of {MAX_INFO_BYTES}")
    return plain or None


class _Plain:
    """Values of other types as msgpack's own; as many as can be sent at most, for cycles."""

    def __init__(self) -> None:
        self._room = MAX_INFO_BYTES

    def value(self, value: Any, levels: int) -> Any:
        self._room -= 1
        if self._room < 0:
            raise _Unsendable(f"it is over the limit of {MAX_INFO_BYTES} bytes")
        match value:
            case None | bool():
                return value
            case str():
                return self._text(value)
            case Mapping() | list() | tuple() if levels == 0:
                raise _Unsendable("it is nested too deep")
            case Mapping():
                return {self._key(k): self.value(v, levels - 1) for k, v in value.items()}
            case list() | tuple():
                return [self.value(child, levels - 1) for child in value]
        return _number(value)

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise _Unsendable(f"it has the key {key!r:.40}, which is no str")
        return self._text(key)

    @staticmethod
    def _text(text: str) -> str:
        if len(text) > MAX_INFO_BYTES:
            raise _Unsendable(f"it is over the limit of {MAX_INFO_BYTES} bytes")
        return str(text)


def _number(value: Any) -> int | float:
    if hasattr(value, "__index__"):
        whole = operator.index(value)
        if not _LEAST <= whole <= _MOST:
            raise _Unsendable("it has an integer of more than 64 bits")
        return whole
    if not isinstance(value, numbers.Real):
        raise _Unsendable(f"it holds a {type(value).__name__}")
    if not math.isfinite(number := float(value)):
        raise _Unsendable(f"it holds {number}")
    return number


def whole_numbers(steps: Steps) -> list[Any]:
    """Steps with integers of all types (``numpy.int64`` and others) as ``int``."""
    return [
        [_whole(word) for word in step] if isinstance(step, (list, tuple)) else step
        for step in steps
    ]


def _whole(word: Any) -> Any:
    if isinstance(word, (str, bool)) or type(word) is int or not hasattr(word, "__index__"):
        return word
    return operator.index(word)


def move(turn: TurnFacts, steps: Sequence[Any], remarks: Remarks) -> dict[str, Any]:
    """The message that answers a turn."""
    message = {
        "type": "move",
        "match": turn.match.id,
        "turn": turn.number,
        "steps": whole_numbers(steps),
    }
    info = remarks.of(turn)
    return message if info is None else message | {"info": info}
