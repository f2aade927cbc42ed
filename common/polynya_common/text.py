"""Text for people: foreign text made fit for a terminal, lists of words, moments in time."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from polynya_common.errors import ConfigurationError

__all__ = [
    "address",
    "argument",
    "figure_words",
    "join_words",
    "moment",
    "moment_ms",
    "refused_words",
    "shortened",
    "why_unopened",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOT_APPLICABLE = "\N{EN DASH}"
"""In a table, where a figure says nothing."""


def join_words(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def shortened(words: Sequence[str], most: int) -> str:
    """The first words of a list, at most ``most``, and how many more there are."""
    if len(words) <= most:
        return join_words(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def figure_words(value: float | str | None) -> str:
    """A figure or a place in a table; a dash where it says nothing."""
    if value is None:
        return _NOT_APPLICABLE
    return value if isinstance(value, str) else f"{value:g}"


def refused_words(steps: object, left_out: int) -> str:
    """Steps that were refused as JSON in ASCII, and how many more there were; empty without any."""
    if steps is None and not left_out:
        return ""
    try:
        words = json.dumps(steps, skipkeys=True, default=repr)
    except RecursionError:
        words = "too deeply nested to be shown"
    return f"{words} and {left_out} more" if left_out else words


def argument(name: str) -> str:
    """A name for a command line: a name that looks like an option comes after ``--``."""
    return f"-- {name}" if name.startswith("-") else name


def moment(at_ms: int, precision: str = "seconds") -> str:
    """A time, ms since 1970, as ``2026-11-25 18:00:00+00:00``, in seconds or ``milliseconds``."""
    whole = datetime.fromtimestamp(at_ms // 1000, UTC)
    return whole.replace(microsecond=at_ms % 1000 * 1000).isoformat(" ", timespec=precision)


def moment_ms(text: str, name: str) -> int:
    """A time that a person wrote, in ms since 1970; in UTC where it names no zone.

    Args:
        text: date, or date and time, in the form of ISO 8601.
        name: what the time is called in the error.

    Raises:
        ConfigurationError: it is no time.
    """
    try:
        found = datetime.fromisoformat(text)
        aware = found if found.tzinfo else found.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError) as error:
        raise ConfigurationError(
            f"{name}: {text!r} is no time; write one such as 2026-11-25T18:00, in UTC"
        ) from error


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
