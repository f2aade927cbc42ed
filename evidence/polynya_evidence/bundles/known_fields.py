"""Finds fields of a bundle's documents that the reader ignores, and so cannot verify."""

from __future__ import annotations

from typing import Any


def unknown_field(said: Any, known: Any, place: str) -> str:
    """The first field of a document that its decoded form lacks; empty if there is none.

    An omitted field does not matter: it has its default.

    Args:
        said: the document as plain values.
        known: its decoded form, as plain values.
        place: the document's name.
    """
    if isinstance(said, dict) and isinstance(known, dict):
        for key, value in said.items():
            where = f"{place}.{key:.100}"
            if found := where if key not in known else unknown_field(value, known[key], where):
                return found
    if isinstance(said, list) and isinstance(known, list):
        for number, (one, other) in enumerate(zip(said, known, strict=False)):
            if found := unknown_field(one, other, f"{place}[{number}]"):
                return found
    return ""
