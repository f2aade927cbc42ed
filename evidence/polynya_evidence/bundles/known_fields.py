"""Documents of a bundle that say more than is read of them: such fields prove nothing."""

from __future__ import annotations

from typing import Any


def unknown_field(said: Any, known: Any, place: str) -> str:
    """The first field in a document that its values do not have; empty without one.

    A field that is left out is no matter: it has its default.

    Args:
        said: the document as plain values.
        known: what it was read as, as plain values.
        place: what the document is called.
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
