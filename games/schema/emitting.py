"""What the emitters of types share: reading a schema, and comments."""

from __future__ import annotations

import textwrap
from typing import Any


def reference(kind: dict[str, Any]) -> str | None:
    """The name of the record that a schema refers to, None if it refers to none."""
    target = kind.get("$ref")
    return None if target is None else str(target).rpartition("/")[2]


def nullable(kind: dict[str, Any]) -> tuple[str, bool]:
    """The type of a schema, and whether the value may be null instead."""
    if isinstance(kind["type"], list):
        (plain,) = (word for word in kind["type"] if word != "null")
        return plain, True
    return kind["type"], False


def camel(key: str) -> str:
    """``fish_caught`` as ``FishCaught``."""
    return "".join(word.capitalize() for word in key.split("_"))


def type_name(game: str) -> str:
    """What the names of a game's types begin with."""
    return {"icecult": "IceCult"}.get(game, game.capitalize())


def wrapped(said: str, width: int) -> list[str]:
    """A comment as lines."""
    return textwrap.wrap(said, width)
