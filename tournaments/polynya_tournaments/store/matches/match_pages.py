"""Long lists page by page: matches by what was asked for, and the schedule of a tournament.

A page of matches is found by where the last one ended, not by counting: it costs the same wherever
it lies, and matches that are begun meanwhile do not move it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.store import schema
from polynya_tournaments.store.matches.match_list import MatchFilter, order_of
from polynya_tournaments.store.matches.match_queries import (
    match_question,
    match_row,
    tournament_row,
)
from polynya_tournaments.store.rows import MatchRow, SeatRow
from polynya_tournaments.store.visibility.publicity import hidden_seats, is_hidden, told

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


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A match of a schedule.

    Attributes:
        number: in its tournament, from 1.
        block: the key of its block.
        state: ``open``, ``in_play``, ``played``, ``abandoned``, ``walkover``
            or ``dropped``.
        detail: why it was not played, a sentence.
        match: the id of the attempt that is in play or gave the result; None without one.
        seats: by seat.
    """

    number: int
    block: str
    state: str
    detail: str | None
    match: str | None
    seats: tuple[SeatRow, ...]


def match_page(
    connection: sa.Connection,
    wanted: MatchFilter,
    *,
    newer_than: str | None = None,
    older_than: str | None = None,
    size: int = 50,
    told_ms: int | None = None,
) -> MatchPage:
    """A page of matches: the first, or the one on either side of a place that a page named.

    Results that are hidden are not on it; ``told_ms`` as in ``publicity``.

    Raises:
        NotInStoreError: no such tournament, or the place is not one that a page names.
    """
    place = newer_than or older_than
    order = order_of(connection, wanted, told_ms)
    if order is None:
        return MatchPage((), None, None)
    backwards = newer_than is not None
    found = order.ids(place, min(size, MOST_ON_PAGE) + 1, backwards=backwards)
    more = len(found) > min(size, MOST_ON_PAGE)
    found = found[: min(size, MOST_ON_PAGE)]
    if backwards:
        found.reverse()
    rows = _matches(connection, [one.id for one in found], told_ms)
    has_newer, has_older = (more, True) if backwards else (place is not None, more)
    return MatchPage(
        rows,
        order.place(found[0]) if found and has_newer else None,
        order.place(found[-1]) if found and has_older else None,
    )


def _matches(
    connection: sa.Connection, ids: Sequence[int], told_ms: int | None
) -> tuple[MatchRow, ...]:
    """Matches by id, in the order given, with what may be told of each."""
    if not ids:
        return ()
    rows = connection.execute(match_question().where(schema.matches.c.id.in_(ids)))
    seats = seats_of(connection, ids)
    found = {row.id: match_row(row, seats[row.id]) for row in rows}
    return tuple(told(found[number], told_ms) for number in ids)


def seats_of(connection: sa.Connection, ids: Sequence[int]) -> dict[int, tuple[SeatRow, ...]]:
    """The seats of a page of matches, by the match's id."""
    seats = schema.seats.c
    rows = connection.execute(
        sa.select(seats.match_id, schema.bots.c.name, seats.rank, seats.score, seats.forfeit)
        .select_from(schema.seats.join(schema.bots))
        .where(seats.match_id.in_(ids))
        .order_by(seats.match_id, seats.seat)
    )
    found: dict[int, list[SeatRow]] = defaultdict(list)
    for row in rows:
        found[row.match_id].append(SeatRow(row.name, row.rank, row.score, row.forfeit))
    return {number: tuple(of_match) for number, of_match in found.items()}


def schedule_page(
    connection: sa.Connection,
    tournament: str,
    *,
    page: int = 1,
    size: int = 50,
    told_ms: int | None = None,
) -> tuple[ScheduleRow, ...]:
    """A page of a tournament's schedule, from 1; empty behind its end.

    Results that are hidden are not on it.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    pairings, matches = schema.pairings, schema.matches
    found = tournament_row(connection, tournament)
    first = (page - 1) * size + 1
    last_try = sa.and_(
        matches.c.pairing_id == pairings.c.id,
        sa.or_(matches.c.reason.is_(None), matches.c.reason.in_(("finished", "forfeit"))),
    )
    rows = connection.execute(
        sa.select(
            pairings,
            matches.c.id.label("match_id"),
            matches.c.name,
            matches.c.reason,
            matches.c.started_ms,
            matches.c.finished_ms,
        )
        .select_from(pairings.outerjoin(matches, last_try))
        .where(
            pairings.c.tournament_id == found.id,
            pairings.c.number.between(first, first + size - 1),
        )
        .order_by(pairings.c.number)
    ).all()
    seats = seats_of(connection, [row.match_id for row in rows if row.match_id is not None])
    if is_hidden(found.results_from_ms):
        seats = {number: hidden_seats(of_match) for number, of_match in seats.items()}
    return tuple(_schedule_row(row, seats, told_ms) for row in rows)


def _schedule_row(
    row: Any, seats: dict[int, tuple[SeatRow, ...]], told_ms: int | None
) -> ScheduleRow:
    match, shown, in_play = row.name, seats.get(row.match_id), row.reason is None
    if match is not None and told_ms is not None:
        if row.started_ms > told_ms:
            match = shown = None
        elif in_play or row.finished_ms > told_ms:
            in_play, shown = True, None
    state = row.state if match == row.name else "open"
    return ScheduleRow(
        number=row.number,
        block=row.block,
        state="in_play" if match is not None and in_play else state,
        detail=row.detail,
        match=match,
        seats=shown or tuple(SeatRow(name, None, None, None) for name in row.players),
    )
