"""The types of positions and steps in Python: ``TypedDict`` and ``Literal``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from emitting import Document, Shape, camel, nullable, reference, whole_file, wrapped


def text(schemas: dict[str, Document]) -> str:
    """The whole module."""
    head = [
        '"""Types of the games\' positions and steps, written by games/schema/make_schemas.py.',
        "",
        "They are for type checkers: ``state: PackeisState = turn.state``. A position holds",
        "plain dicts and lists. A bot may give its steps as tuples: ``step: PackeisStep = ...``.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Literal, NotRequired, TypedDict",
    ]
    module = whole_file(head, schemas, _game)
    return module.replace("TypedDict\n\n\n", "TypedDict\n\n", 1)


def _game(shape: Shape) -> Iterator[str]:
    name, title, state, definitions = shape.name, shape.title, shape.state, shape.definitions
    verbs = [_quoted(step["title"]) for step in shape.steps]
    yield from ("", "", f"{name}Verb = Literal[{', '.join(verbs)}]")
    yield f'"""The first words of the steps of {title}."""'
    yield from ("", f"{name}Step = (")
    for number, step in enumerate(shape.steps):
        yield from _step(step["prefixItems"], "| " if number else "", definitions)
    yield ")"
    yield f'"""A step of {title}, as a bot gives it: a verb and its arguments."""'
    for key, value in shape.maps.items():
        yield from ("", "", f"class {name}{camel(key)}(TypedDict):")
        yield from (f'    """{camel(key)} of a position of {title}."""', "")
        for inner, kind in value["properties"].items():
            yield f"    {inner}: {_type(kind, definitions)}"
    yield from ("", "", f"class {name}State(TypedDict):")
    yield from (f'    """A position of {title}."""', "")
    for key, value in state["properties"].items():
        kind = f"{name}{camel(key)}" if key in shape.maps else _type(value, definitions)
        kind = kind if key in state["required"] else f"NotRequired[{kind}]"
        yield f"    {key}: {kind}"
        if "description" in value:
            yield from _comment(value["description"])


def _step(items: list[Document], sign: str, definitions: Document) -> Iterator[str]:
    if arguments := items[1:]:
        yield f"    # {', '.join(item['title'] for item in arguments)}"
    yield f"    {sign}tuple[{', '.join(_type(item, definitions) for item in items)}]"


def _comment(said: str) -> Iterator[str]:
    lines = wrapped(said, 100 - 10)
    if len(lines) == 1:
        yield f'    """{lines[0]}"""'
        return
    yield f'    """{lines[0]}'
    yield from (f"    {line}" for line in lines[1:-1])
    yield f'    {lines[-1]}"""'


def _type(kind: Document, definitions: Document) -> str:
    if record := reference(kind):
        kinds = [_type(part, definitions) for part in definitions[record]["prefixItems"]]
        return f"list[{' | '.join(dict.fromkeys(kinds))}]"
    if "anyOf" in kind:
        return " | ".join(_type(each, definitions) for each in kind["anyOf"])
    if "const" in kind:
        return f"Literal[{_quoted(kind['const'])}]"
    if "enum" in kind:
        return f"Literal[{', '.join(_quoted(value) for value in kind['enum'])}]"
    plain, may_be_none = nullable(kind)
    if plain == "array":
        found = f"list[{_type(kind['items'], definitions)}]"
    else:
        found = {"integer": "int", "boolean": "bool", "null": "None"}[plain]
    return f"{found} | None" if may_be_none else found


def _quoted(value: Any) -> str:
    return "None" if value is None else json.dumps(value)
