"""Text for people: foreign text made fit for a terminal, and lists of words."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_protocol.errors import printable

__all__ = ["listed", "printable"]


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
