"""The types of positions in Rust: structs that ``Turn::read_state`` fills."""

from __future__ import annotations

from collections.abc import Iterator

from emitting import Document, Shape, camel, nullable, reference, whole_file, wrapped

DERIVED = "#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]\n#[non_exhaustive]"


def text(schemas: dict[str, Document]) -> str:
    """The whole file."""
    head = [
        "//! The games' positions as types, for [`Turn::read_state`](crate::Turn::read_state).",
        "//!",
        "//! Made by `games/schema/make_schemas.py`.",
        "",
        "use serde::Deserialize;",
        "use serde_json::Value;",
    ]
    return whole_file(head, schemas, _game)


def _game(shape: Shape) -> Iterator[str]:
    name, title, state = shape.name, shape.title, shape.state
    for record, items in shape.records.items():
        yield from ("", f"/// A {record.lower()} of {title}.", DERIVED)
        yield f"pub struct {name}{record} {{"
        for item in items:
            said = ", ".join(f"`{word}`" for word in item.get("enum", ()))
            yield f"    /// {item['title'].capitalize()}{said and ': ' + said}."
            yield f"    pub {item['title']}: {_type(item, name)},"
        yield "}"
    for key, part in shape.maps.items():
        yield from ("", f"/// The {key} of a position of {title}.", DERIVED)
        yield f"pub struct {name}{camel(key)} {{"
        for inner, value in part["properties"].items():
            yield from _member(inner, value, _type(value, name))
        yield "}"
    yield from ("", f"/// A position of {title}.", DERIVED, f"pub struct {name}State {{")
    for key, value in state["properties"].items():
        kind = f"{name}{camel(key)}" if key in shape.maps else _type(value, name)
        is_optional = key not in state["required"] and not kind.startswith("Option<")
        yield from _member(key, value, f"Option<{kind}>" if is_optional else kind)
    yield "}"


def _member(key: str, value: Document, kind: str) -> Iterator[str]:
    words = ", ".join(f"`{word}`" for word in value.get("enum", ()) if word)
    said = value.get("description") or words or f"`{value.get('const', key)}`"
    for line in wrapped(said[0].upper() + said[1:] + ".", 90):
        yield f"    /// {line}"
    if key != key.lower():
        yield f'    #[serde(rename = "{key}")]'
    yield f"    pub {key.lower()}: {kind},"


def _type(kind: Document, name: str) -> str:
    if record := reference(kind):
        return f"{name}{record}"
    if "anyOf" in kind:
        return "Value"
    if "const" in kind:
        return "String"
    if "enum" in kind:
        return "Option<String>" if None in kind["enum"] else "String"
    plain, may_be_null = nullable(kind)
    if plain == "array":
        return f"Vec<{_type(kind['items'], name)}>"
    found = {"integer": "i64", "boolean": "bool"}[plain]
    return f"Option<{found}>" if may_be_null else found
