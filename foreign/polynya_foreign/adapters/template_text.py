"""The texts of a template: fields and loops over a match, and nothing that runs.

``{seat}``, ``{state.fish[0]}`` and ``{state.hands[seat]}`` are fields, ``{count legal}`` is a
number of entries, and ``{for step in legal}`` … ``{end}`` repeats what stands between. A line with
nothing but ``for`` or ``end`` prints no line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from polynya_client.errors import printable

MOST_CHARACTERS: Final = 1024 * 1024
"""The greatest length of a rendered text."""
_DEEPEST: Final = 8
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_KEY: Final = rf"\.(?:{_NAME}|[0-9]{{1,9}})"
PATH: Final = re.compile(rf"{_NAME}(?:{_KEY}|\[(?:[0-9]{{1,9}}|{_NAME}(?:{_KEY})*)\])*")
_PART: Final = re.compile(rf"\.({_NAME}|[0-9]+)|\[([^\]]+)\]")
_FOR: Final = re.compile(rf"for +({_NAME})(?: *, *({_NAME}))? +in +({PATH.pattern})")
_COUNT: Final = re.compile(rf"count +({PATH.pattern})")
_WORDS: Final = ("for", "count", "end")
_ALONE: Final = re.compile(r"^[ \t]*(\{(?:for [^{}\n]*|end)\})[ \t]*(?:\n|\Z)", re.MULTILINE)
_TAG: Final = re.compile(r"\{([^{}\n]*)\}")


class TemplateError(Exception):
    """A text of a template that cannot be read, or that does not fit the match."""


Scope = Mapping[str, Any]
"""The values of a template's names."""


def value_at(path: str, scope: Scope) -> Any:
    """The value that a path such as ``state.hands[seat]`` names.

    Raises:
        TemplateError: there is none.
    """
    name = re.match(_NAME, path)
    if name is None or name[0] not in scope:
        raise TemplateError(f"there is no '{path}'; there are {', '.join(scope)}")
    found = scope[name[0]]
    for part in _PART.finditer(path, name.end()):
        key = part[1] or part[2]
        if part[2] and not key.isdigit():
            key = str(_index(value_at(key, scope), path))
        found = _entry(found, key, path)
    return found


def _index(value: Any, path: str) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TemplateError(f"'{path}' has an index that is no number and no text")
    return value


def _entry(found: Any, key: str, path: str) -> Any:
    if isinstance(found, Mapping) and key in found:
        return found[key]
    if isinstance(found, list | tuple) and key.isdigit() and int(key) < len(found):
        return found[int(key)]
    raise TemplateError(f"'{path}': there is no {printable(key)!r}")


class Part(Protocol):
    """A part of a text."""

    def pieces(self, scope: Scope, none: str) -> Iterator[str]:
        """The texts that it prints.

        Args:
            scope: what names stand for.
            none: what is printed for a value that is absent (null).
        """


@dataclass(frozen=True, slots=True)
class _Plain:
    text: str

    def pieces(self, _scope: Scope, _none: str) -> Iterator[str]:
        yield self.text


@dataclass(frozen=True, slots=True)
class _Field:
    path: str

    def pieces(self, scope: Scope, none: str) -> Iterator[str]:
        value = value_at(self.path, scope)
        values = value if isinstance(value, list | tuple) else [value]
        yield " ".join(_word(each, none, self.path) for each in values)


@dataclass(frozen=True, slots=True)
class _Count:
    path: str

    def pieces(self, scope: Scope, _none: str) -> Iterator[str]:
        yield str(len(_entries(value_at(self.path, scope), self.path)))


@dataclass(frozen=True, slots=True)
class _Loop:
    key: str | None
    name: str
    path: str
    body: tuple[Part, ...]

    def pieces(self, scope: Scope, none: str) -> Iterator[str]:
        for key, value in _entries(value_at(self.path, scope), self.path):
            names = {self.name: value} if self.key is None else {self.key: key, self.name: value}
            for part in self.body:
                yield from part.pieces({**scope, **names}, none)


def _word(value: Any, none: str, path: str) -> str:
    """A single value as it is printed: always on one line."""
    match value:
        case None:
            return none
        case bool():
            return str(int(value))
        case int() | float():
            return str(value)
        case str():
            return "".join(sign if sign.isprintable() else " " for sign in value)
        case _:
            raise TemplateError(f"'{path}' is no single value and no list of them: loop over it")


def _entries(value: Any, path: str) -> Sequence[tuple[Any, Any]]:
    """The entries for a loop: a list by index, an object by key, a text by line."""
    match value:
        case list() | tuple():
            return list(enumerate(value))
        case Mapping():
            return list(value.items())
        case str():
            return list(enumerate(value.splitlines()))
        case _:
            raise TemplateError(f"'{path}' is no list, object or text")


class Text:
    """A text of a template.

    Args:
        source: the text as it stands in the template.

    Raises:
        TemplateError: it cannot be read; the message quotes the place.
    """

    def __init__(self, source: str) -> None:
        tokens = _Tokens(_ALONE.sub(r"\1", source))
        self._parts = tokens.parts(0)

    def render(self, scope: Scope, none: str) -> str:
        """The text for a match.

        Args:
            scope: what names stand for.
            none: what is printed for a value that is absent (null).

        Raises:
            TemplateError: a name stands for nothing that can be printed there, or the text is
                longer than MOST_CHARACTERS.
        """
        kept: list[str] = []
        length = 0
        for piece in _pieces(self._parts, scope, none):
            length += len(piece)
            if length > MOST_CHARACTERS:
                raise TemplateError(f"its text is longer than {MOST_CHARACTERS} characters")
            kept.append(piece)
        return "".join(kept)


def _pieces(parts: Iterable[Part], scope: Scope, none: str) -> Iterator[str]:
    for part in parts:
        yield from part.pieces(scope, none)


class _Tokens:
    """The plain texts and tags of a source, from left to right."""

    def __init__(self, source: str) -> None:
        self._left = _TAG.split(source)[::-1]  # plain, tag, plain, tag, … plain
        self._is_tag = False

    def parts(self, depth: int) -> tuple[Part, ...]:
        """The parts up to the end of this loop, or of the source."""
        if depth > _DEEPEST:
            raise TemplateError(f"loops are nested more than {_DEEPEST} deep")
        found: list[Part] = []
        while self._left:
            piece, is_tag = self._left.pop(), self._is_tag
            self._is_tag = not is_tag
            if not is_tag:
                found.append(_plain(piece))
            elif piece == "end" and depth:
                return tuple(found)
            elif loop := _FOR.fullmatch(piece):
                key, name = (loop[1], loop[2]) if loop[2] else (None, loop[1])
                found.append(_Loop(key, name, loop[3], self.parts(depth + 1)))
            else:
                found.append(_tag(piece))
        if depth:
            raise TemplateError("a '{for … in …}' has no '{end}'")
        return tuple(found)


def _plain(text: str) -> _Plain:
    if "{" in text or "}" in text:
        raise TemplateError(f"a brace is not closed on its line, or not opened: {text.strip()!r}")
    return _Plain(text)


def _tag(token: str) -> Part:
    if count := _COUNT.fullmatch(token):
        return _Count(count[1])
    if PATH.fullmatch(token) and token not in _WORDS:
        return _Field(token)
    raise TemplateError(
        f"'{{{token}}}' is none of {{NAME}}, {{count NAME}}, {{for ENTRY in NAME}} and {{end}}"
    )
