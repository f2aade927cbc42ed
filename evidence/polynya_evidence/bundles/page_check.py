"""Compares a report's page with the page rendered from the bundle in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import zip_longest

_TITLES = ("h1", "h2", "summary")
_LEAD = 60
"""How many letters before a difference are shown."""


def page_difference(theirs: str, ours: str) -> str | None:
    """The first place where a page differs from the page rendered here from the bundle in it.

    Returns:
        a sentence; None if they are the same, byte for byte.
    """
    return None if theirs == ours else _first(theirs, ours)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A tag or a text of a page, with its position."""

    where: str
    content: str


class _Pieces(HTMLParser):
    """Splits a page into its pieces, in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Piece] = []
        self._title = ""
        self._row = 0
        self._tag = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        self._row = self._row + 1 if tag == "tr" else 0 if tag == "table" else self._row
        self._add(f"<{tag}{''.join(f' {key}={value!r}' for key, value in attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        self._add(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._tag in _TITLES and data.strip():
            self._title = data.strip()
        self._add(data)

    def handle_comment(self, data: str) -> None:
        self._add(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._add(f"<!{decl}>")

    def _add(self, content: str) -> None:
        row = f", line {self._row}" if self._tag in ("tr", "td", "th") else ""
        where = f"under {self._title!r}{row}" if self._title else "at its beginning"
        self.found.append(_Piece(where, content))


def _first(theirs: str, ours: str) -> str:
    """Find the first place where two pages differ."""
    for one, other in _pairs(theirs, ours):
        if one is None or other is None or one.content != other.content:
            where = (other or one or _Piece("at its end", "")).where
            shown, follows = _shown(one, other), _shown(other, one)
            return f"the page {where} shows {shown}, from the bundle follows {follows}"
    return "the page differs from the page that follows from the bundle"


def _pairs(theirs: str, ours: str) -> Iterator[tuple[_Piece | None, _Piece | None]]:
    yield from zip_longest(_Pieces(theirs).found, _Pieces(ours).found)


def _shown(piece: _Piece | None, other: _Piece | None) -> str:
    """A piece, from a little before it differs from the other one."""
    if piece is None:
        return "nothing"
    pairs = enumerate(zip(piece.content, "" if other is None else other.content, strict=False))
    start = max(0, next((at for at, (one, two) in pairs if one != two), 0) - _LEAD)
    return repr(piece.content[start : start + 100])
