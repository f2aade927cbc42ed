"""The JSON Schema of all messages, for authors of bots and SDKs: ``protocol/schema.json``.

A msgpack map of the protocol and a JSON object have the same form; nil is null.
"""

from __future__ import annotations

import functools
import inspect
import json
import operator
import sys
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, cast, get_args

import msgspec

from polynya_protocol import messages
from polynya_protocol.checks import MAX_INFO_BYTES
from polynya_protocol.messages import Message, Step

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Info = Annotated[
    dict[str, Any], msgspec.Meta(description=f"At most {MAX_INFO_BYTES} bytes as msgpack.")
]


class Move(Message, frozen=True, tag="move"):
    """The answer to ``turn``: a whole turn.

    What a bot has to send. The codec lets other forms pass, because they cost the match and not
    the connection.
    """

    match: str
    turn: int
    steps: list[Step]
    info: Info | None = None


def json_schema() -> dict[str, Any]:
    """One document: a message of either side, ``$defs`` for each side and each message."""
    client = _union([Move if each is messages.Move else each for each in _classes("FromClient")])
    server = _union(_classes("FromServer"))
    (from_client, from_server), definitions = msgspec.json.schema_components(
        [client, server], ref_template="#/$defs/{name}"
    )
    for definition in definitions.values():
        definition["description"] = inspect.cleandoc(definition["description"])
    sides = {"FromClient": from_client, "FromServer": from_server}
    return {
        "$schema": DIALECT,
        "title": f"Messages of the Polynya protocol, version {messages.PROTOCOL_VERSION}",
        "anyOf": [{"$ref": f"#/$defs/{side}"} for side in sides],
        "$defs": {**sides, **dict(sorted(definitions.items()))},
    }


def json_schema_text() -> str:
    """The document as it stands in ``protocol/schema.json``."""
    return json.dumps(json_schema(), indent=2) + "\n"


def keys_that_may_be_nil() -> dict[str, list[str]]:
    """For each message of the server, the paths of the values that may be nil.

    ``clock.move_ms`` is a key of the map ``clock``, ``remaining_ms[]`` each value of that array.
    """
    schema = json_schema()
    mapping = schema["$defs"]["FromServer"]["discriminator"]["mapping"]
    messages = {kind: _resolved({"$ref": target}, schema) for kind, target in mapping.items()}
    return {kind: list(_nil_below(message, schema)) for kind, message in messages.items()}


def _nil_below(kind: dict[str, Any], schema: dict[str, Any], path: str = "") -> Iterator[str]:
    kind = _resolved(kind, schema)
    forms = kind.get("anyOf", [])
    if {"type": "null"} in forms:
        yield path
    for form in forms:
        yield from _nil_below(form, schema, path)
    for key, inner in kind.get("properties", {}).items():
        yield from _nil_below(inner, schema, f"{path}.{key}" if path else key)
    if "items" in kind:
        yield from _nil_below(kind["items"], schema, f"{path}[]")


def _resolved(kind: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = kind.get("$ref", "").rpartition("/")[2]
    return schema["$defs"][name] if name else kind


def _classes(side: str) -> list[type[Message]]:
    return list(cast("tuple[type[Message], ...]", get_args(getattr(messages, side))))


def _union(classes: list[type[Message]]) -> UnionType:
    return cast("UnionType", functools.reduce(operator.or_, cast("list[Any]", classes)))


if __name__ == "__main__":
    sys.stdout.write(json_schema_text())
