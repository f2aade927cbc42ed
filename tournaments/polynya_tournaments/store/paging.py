"""Long lists page by page: matches by what was asked for, and the schedule of a tournament.

A page of matches is found by where the last one ended, not by counting: it costs the same wherever
it lies, and matches that are begun meanwhile do not move it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.errors import NotInStoreError
from polynya_tournaments.store import schema
from polynya_tournaments.store.publicity import hidden_seats, is_hidden, without_result
from polynya_tournaments.store.queries import match_question, match_row, tournament_row
from polynya_tournaments.store.rows import MatchRow, SeatRow

MOST_ON_PAGE = 200


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches are asked for; None leaves a question open.

    Attributes:
        game: its name.
        bot: one that takes part.
        opponent: another one that does; only beside ``bot``.
        tournament: its name.
        in_play: whether they have not ended yet.
    """

    game: str | None = None
    bot: str | None = None
    opponent: str | None = None
    tournament: str | None = None
    in_play: bool | None = None


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
        state: ``open``, ``in_play``, ``played``, ``abandoned`` or ``walkover``.
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
) -> MatchPage:
    """A page of matches: the first, or the one on either side of a place that a page named.

    Results that are hidden are not on it.

    Raises:
        NotInStoreError: no such tournament, or the place is not one that a page names.
    """
    place = newer_than or older_than
    order = _order(connection, wanted)
    if order is None:
        return MatchPage((), None, None)
    backwards = newer_than is not None
    found = order.ids(place, min(size, MOST_ON_PAGE) + 1, backwards=backwards)
    more = len(found) > min(size, MOST_ON_PAGE)
    found = found[: min(size, MOST_ON_PAGE)]
    if backwards:
        found.reverse()
    rows = _matches(connection, [one.id for one in found])
    has_newer, has_older = (more, True) if backwards else (place is not None, more)
    return MatchPage(
        rows,
        order.place(found[0]) if found and has_newer else None,
        order.place(found[-1]) if found and has_older else None,
    )


class _ByBeginning:
    """Matches in the order in which they were begun, found by an index that ends in their id."""

    def __init__(self, connection: sa.Connection, wanted: MatchFilter, bots: Sequence[int]) -> None:
        self._connection = connection
        matches = schema.matches
        self._number: sa.ColumnElement[int] = matches.c.id
        source: sa.FromClause = matches
        conditions = list(_conditions(wanted))
        if bots:
            seat = schema.seats.alias("of_bot")
            source = seat.join(matches, seat.c.match_id == matches.c.id)
            self._number = seat.c.match_id
            conditions.append(seat.c.bot_id == bots[0])
            if len(bots) > 1:
                conditions.append(_has_seat(seat.c.match_id, bots[1]))
        if wanted.tournament is not None:
            number = tournament_row(connection, wanted.tournament).id
            source = source.join(schema.pairings)
            conditions.append(schema.pairings.c.tournament_id == number)
        self._question = sa.select(self._number.label("id")).select_from(source).where(*conditions)

    def ids(self, place: str | None, count: int, *, backwards: bool) -> list[Any]:
        """The matches on one side of a place, from there on."""
        question, number = self._question, self._number
        if place is not None:
            [limit] = _numbers(place, 1)
            question = question.where(number > limit if backwards else number < limit)
        ordered = question.order_by(number if backwards else number.desc()).limit(count)
        return list(self._connection.execute(ordered))

    def place(self, row: Any) -> str:
        """The place of a match on the list."""
        return str(row.id)


class _BySchedule:
    """The matches of a tournament, in the order of its schedule, which an index has ready."""

    def __init__(self, connection: sa.Connection, wanted: MatchFilter, tournament: str) -> None:
        self._connection = connection
        pairings, matches = schema.pairings, schema.matches
        self._question = (
            sa.select(matches.c.id, pairings.c.number, matches.c.attempt)
            .select_from(pairings.join(matches))
            .where(
                pairings.c.tournament_id == tournament_row(connection, tournament).id,
                *_conditions(wanted),
            )
        )

    def ids(self, place: str | None, count: int, *, backwards: bool) -> list[Any]:
        """The matches on one side of a place, from there on."""
        number, attempt = schema.pairings.c.number, schema.matches.c.attempt
        question = self._question
        if place is not None:
            here, tried = _numbers(place, 2)
            beyond = number > here if backwards else number < here
            further = attempt > tried if backwards else attempt < tried
            within = number >= here if backwards else number <= here
            question = question.where(within, sa.or_(beyond, sa.and_(number == here, further)))
        order = (number, attempt) if backwards else (number.desc(), attempt.desc())
        return list(self._connection.execute(question.order_by(*order).limit(count)))

    def place(self, row: Any) -> str:
        """The place of a match on the list."""
        return f"{row.number}.{row.attempt}"


def _order(connection: sa.Connection, wanted: MatchFilter) -> _ByBeginning | _BySchedule | None:
    """How the matches are gone through; None if there can be none."""
    names = [name for name in (wanted.bot, wanted.opponent) if name is not None]
    bots = _bots(connection, names)
    if len(bots) < len(names):
        return None
    if wanted.tournament is None or bots:
        return _ByBeginning(connection, wanted, bots)
    return _BySchedule(connection, wanted, wanted.tournament)


def _bots(connection: sa.Connection, names: Sequence[str]) -> list[int]:
    if not names:
        return []
    table = schema.bots.c
    known = {
        row.name: row.id
        for row in connection.execute(sa.select(table.id, table.name).where(table.name.in_(names)))
    }
    return [known[name] for name in names if name in known]


def _conditions(wanted: MatchFilter) -> list[sa.ColumnElement[bool]]:
    table = schema.matches.c
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.game is not None:
        conditions.append(table.game == wanted.game)
    if wanted.in_play is not None:
        conditions.append(table.reason.is_(None) if wanted.in_play else table.reason.is_not(None))
    return conditions


def _has_seat(match_id: sa.ColumnElement[int], bot: int) -> sa.ColumnElement[bool]:
    other = schema.seats.alias("of_opponent")
    return sa.exists().where(other.c.match_id == match_id, other.c.bot_id == bot)


def _numbers(place: str, count: int) -> list[int]:
    if not re.fullmatch(r"\d{1,18}" + r"\.\d{1,9}" * (count - 1), place, re.ASCII):
        raise NotInStoreError("this is no place in the list of matches; begin with its first page")
    return [int(part) for part in place.split(".")]


def _matches(connection: sa.Connection, ids: Sequence[int]) -> tuple[MatchRow, ...]:
    """Matches by id, in the order given."""
    if not ids:
        return ()
    rows = connection.execute(match_question().where(schema.matches.c.id.in_(ids)))
    seats = seats_of(connection, ids)
    found = {row.id: match_row(row, seats[row.id]) for row in rows}
    told = [found[number] for number in ids]
    return tuple(without_result(row) if row.hidden else row for row in told)


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
    connection: sa.Connection, tournament: str, *, page: int = 1, size: int = 50
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
        sa.select(pairings, matches.c.id.label("match_id"), matches.c.name, matches.c.reason)
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
    return tuple(_schedule_row(row, seats) for row in rows)


def _schedule_row(row: Any, seats: dict[int, tuple[SeatRow, ...]]) -> ScheduleRow:
    unplayed = tuple(SeatRow(name, None, None, None) for name in row.players)
    return ScheduleRow(
        number=row.number,
        block=row.block,
        state="in_play" if row.match_id is not None and row.reason is None else row.state,
        detail=row.detail,
        match=row.name,
        seats=seats.get(row.match_id, unplayed),
    )
