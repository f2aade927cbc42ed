"""Text for people: foreign text made fit for a terminal, and lists of words."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from polynya_protocol.errors import printable

__all__ = [
    "NOT_APPLICABLE",
    "address",
    "argument",
    "listed",
    "printable",
    "shortened",
    "why_unopened",
]

NOT_APPLICABLE = "\N{EN DASH}"
"""In a table, where a figure says nothing."""


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def shortened(words: Sequence[str], most: int) -> str:
    """The first words of a list, at most ``most``, and how many more there are."""
    if len(words) <= most:
        return listed(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def argument(name: str) -> str:
    """A name for a command line: one that looks like an option comes after ``--``."""
    return f"-- {name}" if name.startswith("-") else name


def address(host: str, port: int) -> str:
    """``HOST:PORT``, with brackets round the colons of IPv6."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


_REMEDIES = {
    errno.EADDRINUSE: "another program listens there; choose another port, 0 for any that is free",
    errno.EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 is all that it has",
    errno.EACCES: "ports below 1024 are for the administrator",
}


def why_unopened(error: OSError) -> str:
    """Why a port could not be listened on, and what to do about it."""
    number = error.errno if isinstance(error.errno, int) else 0
    why = os.strerror(number) if number > 0 else error.strerror or str(error)
    return f"{why}: {_REMEDIES[number]}" if number in _REMEDIES else why
