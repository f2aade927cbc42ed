"""Documents with one thing changed: each field of each record in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]

_LARGE = 10**10
_LARGEST_STORED = 2**62


def each_field(document: Any, path: Path = ()) -> Iterator[Path]:
    """The paths to all values in a document, maps and lists included, one of each kind.

    Entries of lists are of one kind: the first of them that has a field stands for all.
    """
    seen: set[str] = set()
    for found in _paths(document, path):
        if (kind := kind_of(found)) not in seen:
            seen.add(kind)
            yield found


def _paths(document: Any, path: Path) -> Iterator[Path]:
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from _paths(value, (*path, key))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from _paths(value, (*path, number))


def kind_of(path: Path) -> str:
    """A path with all numbers of entries alike: ``matches.[].seed``."""
    return ".".join("[]" if isinstance(step, int) else step for step in path)


def changed_at(document: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """The document with another value there, for each of some, with what it is."""
    old = _value(document, path)
    for new in _others(old):
        if type(new) is not type(old) or new != old:
            yield f"{kind_of(path)}: {old!r:.60} -> {new!r:.60}", _put(document, path, new)
    if isinstance(old, dict):
        yield f"{kind_of(path)}: with more", _put(document, path, {**old, "more": 1})
        for key in old:
            rest = {name: value for name, value in old.items() if name != key}
            yield f"{kind_of(path)}: without {key}", _put(document, path, rest)


def _value(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _put(document: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    copied = document.copy()
    copied[path[0]] = _put(document[path[0]], path[1:], new)
    return copied


def _others(old: Any) -> list[Any]:
    """Other values: a little and far away, of another form, with more in them and with less."""
    if isinstance(old, bool):
        return [not old]
    if isinstance(old, int):
        far = old - _LARGE if old > _LARGEST_STORED else old + _LARGE
        return [old - 1, far, -1 - old % _LARGEST_STORED]
    if isinstance(old, float):
        return [old + 1, old * 2 + 0.5, -1.0 - abs(old)]
    if isinstance(old, str):
        return [f"{old}x", ""]
    if old is None:
        return [0, "x", [], {}]
    if isinstance(old, list):
        return [[*old, old[-1]], old[:-1], old[::-1]] if old else [[1]]
    return []
