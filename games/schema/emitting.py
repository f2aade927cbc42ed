"""The part that the emitters of types share: reading a schema, and comments."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """The parts of a game's schema that become types.

    Attributes:
        name: the first word of the names of the game's types.
        title: of the game, for people.
        records: the records that are arrays, by name: the schema of each item.
        steps: the schema of each kind of step.
        state: the schema of a position.
        maps: the parts of a position that are maps of their own, by key.
        definitions: all named schemas.
    """

    name: str
    title: str
    records: dict[str, list[Document]]
    steps: list[Document]
    state: Document
    maps: dict[str, Document]
    definitions: Document


def shape_of(game: str, schema: Document) -> Shape:
    """The parts of the schema of ``game``."""
    definitions = schema["$defs"]
    state = definitions["state"]
    return Shape(
        name=type_name(game),
        title=schema["title"],
        records={
            name: parts["prefixItems"]
            for name, parts in definitions.items()
            if "prefixItems" in parts
        },
        steps=definitions["step"]["oneOf"],
        state=state,
        maps={key: part for key, part in state["properties"].items() if _is_map(part)},
        definitions=definitions,
    )


def _is_map(part: Document) -> bool:
    return part.get("type") == "object"


def whole_file(
    head: Sequence[str],
    schemas: dict[str, Document],
    lines_of: Callable[[Shape], Iterator[str]],
    foot: Iterable[str] = (),
) -> str:
    """The text of a file: its head, the lines of each game, and its foot."""
    games = (line for game, schema in schemas.items() for line in lines_of(shape_of(game, schema)))
    return "\n".join([*head, *games, *foot]) + "\n"


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
    """The first word of the names of a game's types."""
    return {"icecult": "IceCult"}.get(game, game.capitalize())


def wrapped(said: str, width: int) -> list[str]:
    """A comment as lines."""
    return textwrap.wrap(said, width)
