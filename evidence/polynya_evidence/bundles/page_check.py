"""Compares a report's page with the page rendered from the bundle in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import zip_longest

_DRAWING = re.compile(r'src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]*"')
_TITLES = ("h1", "h2", "summary")


@dataclass(frozen=True, slots=True)
class PageComparison:
    """The result of the comparison.

    Attributes:
        difference: the first place where the pages differ, in a sentence; or None.
        same_drawings: whether the drawings equal those rendered here, byte for byte.
    """

    difference: str | None
    same_drawings: bool


def compare_pages(theirs: str, ours: str) -> PageComparison:
    """Compare a page with the page that was rendered here from the bundle in it.

    All but the drawings must be equal, byte for byte. Another version of the drawing library gives
    other drawings of the same ratings.
    """
    if theirs == ours:
        return PageComparison(None, same_drawings=True)
    same_drawings = _DRAWING.findall(theirs) == _DRAWING.findall(ours)
    theirs, ours = (_DRAWING.sub('src=""', page) for page in (theirs, ours))
    return PageComparison(None if theirs == ours else _first(theirs, ours), same_drawings)


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
            return f"the page {where} shows {_shown(one)}, from the bundle follows {_shown(other)}"
    return "the page differs from the page that follows from the bundle"


def _pairs(theirs: str, ours: str) -> Iterator[tuple[_Piece | None, _Piece | None]]:
    yield from zip_longest(_Pieces(theirs).found, _Pieces(ours).found)


def _shown(piece: _Piece | None) -> str:
    return "nothing" if piece is None else repr(piece.content[:100])
