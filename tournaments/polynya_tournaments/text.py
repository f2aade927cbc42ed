"""Text for people: foreign text made fit for a terminal, and lists of words."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_protocol.errors import printable

__all__ = ["listed", "printable"]


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def address(host: str, port: int) -> str:
    """``HOST:PORT``, with brackets round the colons of IPv6."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
