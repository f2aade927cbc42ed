"""Lists of matches page by page, as a filter asks for them.

A page of matches is found by where the last one ended, not by counting: it costs the same wherever
it lies, and matches that are begun meanwhile do not move it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.matches.match_list import MatchFilter, order_of
from polynya_store.matches.match_rows import match_question, match_rows
from polynya_store.rows import MatchRow
from polynya_store.statements import cut
from polynya_store.visibility import as_shown

MOST_ON_PAGE = 200


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Some matches, those that were begun last first.

    Attributes:
        rows: the matches.
        newer: the place from which those before them on the list are found; None if there are none.
        older: the same for those after them.
    """

    rows: tuple[MatchRow, ...]
    newer: str | None
    older: str | None


def match_page(
    connection: sa.Connection,
    wanted: MatchFilter,
    *,
    newer_than: str | None = None,
    older_than: str | None = None,
    size: int = 50,
    shown_until_ms: int | None = None,
) -> MatchPage:
    """A page of matches: the first, or the one on either side of a place that a page named.

    Results that are hidden are not on it; ``shown_until_ms`` as in ``visibility``.

    Raises:
        NotInStoreError: no such tournament, or no page names this place.
    """
    place = newer_than or older_than
    order = order_of(connection, wanted, shown_until_ms)
    if order is None:
        return MatchPage((), None, None)
    backwards = newer_than is not None
    size = min(size, MOST_ON_PAGE)
    read = order.ids(place, size + 1, backwards=backwards)
    page = cut(read, size, place=place, backwards=backwards)
    return MatchPage(
        _matches(connection, [one.id for one in page.rows], shown_until_ms),
        None if page.first is None else order.place(page.first),
        None if page.last is None else order.place(page.last),
    )


def _matches(
    connection: sa.Connection, ids: Sequence[int], shown_until_ms: int | None
) -> tuple[MatchRow, ...]:
    """Matches by id, in the order given, as pages may show them."""
    if not ids:
        return ()
    rows = connection.execute(match_question().where(schema.matches.c.id.in_(ids))).all()
    found = {row.id: one for row, one in zip(rows, match_rows(connection, rows), strict=True)}
    return tuple(as_shown(found[number], shown_until_ms) for number in ids)
