"""The types of positions in Java: records that are read from ``Turn.state``."""

from __future__ import annotations

from collections.abc import Iterator

from emitting import Document, Shape, camel, nullable, reference, whole_file, wrapped


def text(schemas: dict[str, Document]) -> str:
    """The whole file."""
    head = [
        "package polynya.client;",
        "",
        "import java.util.List;",
        "",
        "/**",
        " * The positions of the games as types: {@code PackeisState.read(turn.state())}.",
        " *",
        " * <p>Made by games/schema/make_schemas.py.",
        " */",
        "public final class Positions {",
        "    private Positions() {}",
    ]
    return whole_file(head, schemas, _game, ["}"])


def _game(shape: Shape) -> Iterator[str]:
    name, title = shape.name, shape.title
    for record, items in shape.records.items():
        members = {item["title"]: item for item in items}
        keys = [str(number) for number in range(len(members))]
        yield from _record(
            name, record, f"A {record.lower()} of {title}.", members, keys, set(members)
        )
    for key, part in shape.maps.items():
        inner = part["properties"]
        said = f"The {key} of a position of {title}."
        yield from _record(name, camel(key), said, inner, list(inner), set(inner))
    members, required = shape.state["properties"], set(shape.state["required"])
    yield from _record(name, "State", f"A position of {title}.", members, list(members), required)


def _record(
    name: str, record: str, said: str, members: Document, keys: list[str], required: set[str]
) -> Iterator[str]:
    """A record with its reader, which looks its values up by these keys."""
    yield from ("", "    /**", f"     * {said}", "     *")
    for key, value in members.items():
        words = ", ".join(f"{{@code {word}}}" for word in value.get("enum", ()) if word)
        told = value.get("description") or words or f"its {key}"
        first, *others = wrapped(f"@param {_variable(key)} {told}", 90)
        yield f"     * {first}"
        yield from (f"     *     {line}" for line in others)
    kinds = [_kind(key, value, name, key in required) for key, value in members.items()]
    yield "     */"
    yield f"    public record {name}{record}("
    yield (
        ",\n".join(
            f"            {kind} {_variable(key)}"
            for key, (kind, _) in zip(members, kinds, strict=True)
        )
        + ") {"
    )
    yield ""
    is_list = keys[0] == "0"
    if not is_list:
        yield from ("        /**", "         * Read it.", "         *")
        yield "         * @param fields the map that holds it"
        yield "         * @return the same as a record"
        yield "         */"
    visibility = "" if is_list else "public "
    yield f"        {visibility}static {name}{record} read(Fields fields) {{"
    yield f"            return new {name}{record}("
    yield (
        ",\n".join(
            f"                    {reader.format(key)}"
            for key, (_, reader) in zip(keys, kinds, strict=True)
        )
        + ");"
    )
    yield from ("        }", "    }")


def _variable(key: str) -> str:
    if key != key.lower():
        return key.lower()
    words = camel(key)
    return words[0].lower() + words[1:]


def _kind(key: str, kind: Document, name: str, is_required: bool) -> tuple[str, str]:
    """The type, and how it is read; ``{0}`` stands for the key."""
    if kind.get("type") == "object":
        inner = f"{name}{camel(key)}"
        return inner, f'{inner}.read(fields.map("{{0}}"))'
    if "const" in kind:
        return "String", 'fields.string("{0}")'
    if "enum" in kind:
        return "String", f'fields.{"optionalString" if None in kind["enum"] else "string"}("{{0}}")'
    plain, may_be_null = nullable(kind)
    if plain == "integer" and may_be_null:
        return "Integer", 'fields.has("{0}") ? fields.integer("{0}") : null'
    if plain == "integer":
        return "int", 'fields.integer("{0}")'
    found, reader = _list(kind["items"], name)
    return found, reader if is_required else f'fields.has("{{0}}") ? {reader} : null'


def _list(items: Document, name: str) -> tuple[str, str]:
    if record := reference(items):
        return f"List<{name}{record}>", f'fields.records("{{0}}", {name}{record}::read)'
    if "anyOf" in items:
        return "List<?>", 'fields.list("{0}")'
    if items["type"] == "boolean":
        return "boolean[]", 'fields.flags("{0}")'
    if items["type"] == "integer":
        return "int[]", 'fields.integers("{0}")'
    if record := reference(items["items"]):
        found = f"List<List<{name}{record}>>"
        return found, f'fields.recordLists("{{0}}", {name}{record}::read)'
    return "int[][]", 'fields.integerLists("{0}")'
