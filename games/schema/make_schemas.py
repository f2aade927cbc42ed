"""Write ``<game>.json``, the JSON Schema of a game's positions and steps, and types for SDKs.

    python games/schema/make_schemas.py [--check]

What a position holds is read off the documents that the rules write: those of the games' vectors,
where every special case stands, and of more random matches. Steps are read off the forms that the
rules check. ``--check`` only compares, with exit status 1 where a file is out of date.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import emit_go
import emit_java
import emit_python
import emit_rust
import emit_typescript

from polynya_games import load
from polynya_games.randomness import SplitMix64

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GAMES = ("packeis", "arktia", "icecult")
MATCHES = 8

Document = dict[str, Any]

RECORDS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "packeis": {"rows[]": ("Row", ("length", "indent"))},
    "arktia": {
        "rows[]": ("Row", ("length", "indent")),
        "stacks[][]": ("Muglu", ("colour", "kind")),
    },
    "icecult": {
        "blocks[][]": ("Face", ("symbol", "direction")),
        "tips[]": ("Tip", ("pair", "direction")),
    },
}
"""By the path of a list that is a record: the record's name, and those of its values."""

EMITTERS = {
    "clients/python/polynya_client/positions.py": emit_python.text,
    "clients/typescript/src/positions.ts": emit_typescript.text,
    "clients/go/positions.go": emit_go.text,
    "clients/java/client/src/main/java/polynya/client/Positions.java": emit_java.text,
    "clients/rust/src/positions.rs": emit_rust.text,
}
"""The files of types, and what writes each from the schemas of all games."""


def schema(game: str) -> Document:
    """The schema of a game: ``$defs`` with ``state``, ``step``, ``turn`` and its records."""
    vectors = list(_vectors(game))
    states = [vector["state"] for vector in vectors] + [*_random_states(game)]
    steps = [step for vector in vectors for step in vector["legal"]]
    meanings = _meanings(game)
    definitions: dict[str, Document] = {}
    state = _Observed(game, definitions).of("", states)
    for key, described in state["properties"].items():
        value, meaning = meanings[key]
        said = [meaning] if "enum" in described or key == "game" else [value, meaning]
        if text := "; ".join(filter(None, said)):
            described["description"] = text
    state["properties"]["game"] = {"const": game}
    state["description"] = f"A position of {load(game).title}, as the rules' document says."
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": load(game).title,
        "$ref": "#/$defs/state",
        "$defs": {
            "state": state,
            "step": {"oneOf": [*_steps(game, steps)], "description": "A verb and its arguments."},
            "turn": {
                "type": "array", "items": {"$ref": "#/$defs/step"}, "minItems": 1,
                "description": "The steps of a turn.",
            },
            **definitions,
        },
    }  # fmt: skip


def _vectors(game: str) -> Iterator[Document]:
    with (ROOT / f"games/vectors/{game}.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _random_states(game: str) -> Iterator[Document]:
    """The positions of random matches."""
    for seed in range(MATCHES):
        generator = SplitMix64(seed)
        state = load(game).setup(2 + seed % 3, seed)
        yield state.to_json()
        while state.to_move is not None:
            legal = state.legal_steps()
            state = state.apply(legal[generator.below(len(legal))])
            yield state.to_json()


class _Observed:
    """The schema that all values of one place fit.

    Args:
        game: the game's name.
        definitions: where the schemas of records go.
    """

    def __init__(self, game: str, definitions: dict[str, Document]) -> None:
        self._records = RECORDS[game]
        self._definitions = definitions

    def of(self, path: str, values: list[Any]) -> Document:
        """The schema of all ``values``, which stand under ``path``."""
        present = [value for value in values if value is not None]
        if not present:
            return {"type": "null"}
        kinds = {type(value) for value in present}
        if len(kinds) != 1:
            raise ValueError(f"{path} has values of {kinds}: is it a record?")
        (kind,) = kinds
        found = self._of_kind(kind, path, present)
        if len(present) == len(values):
            return found
        if "enum" in found:
            return {"enum": [*found["enum"], None]}
        return {**found, "type": [found["type"], "null"]}

    def _of_kind(self, kind: type, path: str, values: list[Any]) -> Document:
        if kind is str:
            return {"enum": sorted(set(values))}
        if kind is dict:
            return self._map(path, values)
        if kind is list:
            return self._list(path, values)
        return {"type": {bool: "boolean", int: "integer"}[kind]}

    def _map(self, path: str, values: list[Document]) -> Document:
        keys = list(dict.fromkeys(key for value in values for key in value))
        begin = f"{path}." if path else ""
        return {
            "type": "object",
            "properties": {
                key: self.of(f"{begin}{key}", [value[key] for value in values if key in value])
                for key in keys
            },
            "required": [key for key in keys if all(key in value for value in values)],
            "additionalProperties": False,
        }

    def _list(self, path: str, values: list[list[Any]]) -> Document:
        if path in self._records:
            return self._record(path, values)
        inside = [child for value in values for child in value]
        found: Document = {"type": "array", "items": self.of(f"{path}[]", inside)}
        lengths = {len(value) for value in values}
        if len(lengths) == 1:
            found |= {"minItems": min(lengths), "maxItems": max(lengths)}
        return found

    def _record(self, path: str, values: list[list[Any]]) -> Document:
        name, names = self._records[path]
        if name == "Row":
            values = [piece for row in values for piece in (row if type(row[0]) is list else [row])]
        self._definitions[name] = {
            "type": "array",
            "prefixItems": [
                {"title": title, **self.of(f"{path}.{title}", list(column))}
                for title, column in zip(names, zip(*values, strict=True), strict=True)
            ],
            "items": False,
            "minItems": len(names),
        }
        record = {"$ref": f"#/$defs/{name}"}
        if name == "Row":  # several pieces of a row, with a gap between them
            return {"anyOf": [record, {"type": "array", "items": record}]}
        return record


def _steps(game: str, steps: list[list[Any]]) -> Iterator[Document]:
    """A schema for each verb."""
    forms = importlib.import_module(f"polynya_games.{game}.rules").FORMS
    for verb in forms:
        alike = [step for step in steps if step[0] == verb]
        arguments = [
            {"title": name, **_argument(kind, [step[place] for step in alike])}
            for place, (name, kind) in enumerate(forms[verb].items(), 1)
        ]
        yield {
            "title": verb,
            "type": "array",
            "prefixItems": [{"const": verb}, *arguments],
            "items": False,
            "minItems": 1 + len(arguments),
        }


def _argument(kind: type, values: list[Any]) -> Document:
    return {"type": "integer"} if kind is int else {"enum": sorted(set(values))}


_ROW = re.compile(r"^\| (`.*?) \| (.*?) \|(.*)\|$", re.MULTILINE)


def _meanings(game: str) -> dict[str, tuple[str, str]]:
    """The words of the rules' table on each key of a position: its value, and its meaning."""
    rules = (ROOT / f"docs/rules/{game}.md").read_text(encoding="utf-8")
    table = rules.partition("\n## The state\n")[2].partition("\n## ")[0]
    return {
        key: (value.strip().replace("`", ""), meaning.strip().replace("`", ""))
        for keys, value, meaning in _ROW.findall(table)
        for key in re.findall(r"`(\w+)`", keys)
    }


def files() -> dict[Path, str]:
    """Each file that is written, and what stands in it."""
    schemas = {game: schema(game) for game in GAMES}
    written = {
        HERE / f"{game}.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        for game, document in schemas.items()
    }
    return written | {ROOT / path: text(schemas) for path, text in EMITTERS.items()}


def main() -> int:
    """Write or compare all files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    given = parser.parse_args()
    stale = []
    for path, text in files().items():
        if given.check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(path.name)
        elif not given.check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"out of date: {', '.join(stale)}; run {Path(__file__).name}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
