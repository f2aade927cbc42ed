"""The types of positions and steps in TypeScript."""

from __future__ import annotations

import json
from collections.abc import Iterator

from emitting import Document, Shape, nullable, reference, whole_file, wrapped


def text(schemas: dict[str, Document]) -> str:
    """The whole module."""
    head = [
        "/**",
        " * Types of the games' positions and steps, written by games/schema/make_schemas.py:",
        " * `choose(turn: Turn<PackeisState>)`.",
        " *",
        " * @module",
        " */",
    ]
    return whole_file(head, schemas, _game)


def _game(shape: Shape) -> Iterator[str]:
    name, title = shape.name, shape.title
    for record, items in shape.records.items():
        yield from ("", f"/** {record} of {title}. */")
        yield f"export type {name}{record} = {_tuple(items, name)};"
    yield from ("", f"/** A step of {title}: a verb and its arguments. */")
    yield f"export type {name}Step ="
    steps = [f"  | {_tuple(step['prefixItems'], name)}" for step in shape.steps]
    yield from [*steps[:-1], f"{steps[-1]};"]
    yield from ("", f"/** A position of {title}. */", f"export interface {name}State {{")
    yield from _members(shape.state, name, "  ")
    yield "}"


def _members(state: Document, name: str, indent: str) -> Iterator[str]:
    for key, value in state["properties"].items():
        if "description" in value:
            lines = wrapped(value["description"], 100 - 12)
            if len(lines) == 1:
                yield f"{indent}/** {lines[0]} */"
            else:
                inside = [f"{indent} * {line}" for line in lines]
                yield from (f"{indent}/**", *inside, f"{indent} */")
        sign = "" if key in state["required"] else "?"
        yield f"{indent}readonly {key}{sign}: {_type(value, name)};"


def _tuple(items: list[Document], name: str) -> str:
    inside = ", ".join(f"{_label(item)}: {_type(item, name)}" for item in items)
    return f"readonly [{inside}]"


def _label(part: Document) -> str:
    return str(part.get("title", "verb"))


def _type(kind: Document, name: str) -> str:
    if record := reference(kind):
        return f"{name}{record}"
    if "anyOf" in kind:
        return " | ".join(_type(each, name) for each in kind["anyOf"])
    if "const" in kind:
        return json.dumps(kind["const"])
    if "enum" in kind:
        return " | ".join(json.dumps(value) for value in kind["enum"])
    plain, may_be_null = nullable(kind)
    if plain == "object":
        inside = " ".join(_members(kind, name, ""))
        return f"{{ {inside} }}"
    if plain == "array":
        inner = _type(kind["items"], name)
        found = f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
    else:
        found = {"integer": "number", "boolean": "boolean", "null": "null"}[plain]
    return f"{found} | null" if may_be_null else found
