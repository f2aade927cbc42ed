"""Lists of matches: their rows and seats, filters, and pages.

A page is found by where the last one ended, not by counting: it costs the same wherever it lies,
and matches that are begun meanwhile do not move it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Reason
from polynya_store import schema
from polynya_store.matches.kept_back import matches_kept_back
from polynya_store.rows import MatchRow, SeatRow
from polynya_store.seats_of_matches import seats_of
from polynya_store.statements import cut, tournament_row
from polynya_store.visibility import (
    as_shown,
    has_begun,
    has_ended,
    hidden_since_ms,
    is_withheld,
    untold_draws,
    was_in_play,
)


def match_question() -> sa.Select[Any]:
    """All attempts, with the columns that ``match_row`` needs of each but its seats."""
    table, pairings, tournaments_ = schema.matches, schema.pairings, schema.tournaments
    return sa.select(
        table,
        pairings.c.block,
        tournaments_.c.name.label("tournament"),
        tournaments_.c.results_from_ms,
        tournaments_.c.freezes_ms,
        tournaments_.c.reveal,
        tournaments_.c.duplicate,
        _annulment().label("annulled"),
        _origin().label("imported"),
    ).select_from(table.outerjoin(pairings).outerjoin(tournaments_))


def _annulment() -> sa.ScalarSelect[str]:
    """The host's reason for annulling a match."""
    annulments, done = schema.annulments, schema.interventions
    return (
        sa.select(done.c.why)
        .select_from(annulments.join(done))
        .where(annulments.c.match_id == schema.matches.c.id)
        .correlate(schema.matches)
        .scalar_subquery()
    )


def _origin() -> sa.ScalarSelect[str]:
    """The origin of an imported match."""
    imported = schema.imported_matches
    return (
        sa.select(imported.c.origin)
        .where(imported.c.match_id == schema.matches.c.id)
        .correlate(schema.matches)
        .scalar_subquery()
    )


def match_row(
    row: Any, seats: tuple[SeatRow, ...], *, kept_back: bool, unwatched: bool
) -> MatchRow:
    """An attempt from its row of ``match_question`` and its seats."""
    return MatchRow(
        match=row.name,
        tournament=row.tournament,
        block=row.block,
        attempt=row.attempt,
        game=row.game,
        options=row.options,
        clock=row.clock,
        seed=int(row.seed),
        rated=row.rated,
        started_ms=row.started_ms,
        finished_ms=row.finished_ms,
        reason=row.reason,
        termination=row.termination,
        detail=row.detail,
        server_fault=row.server_fault,
        seats=seats,
        why=row.why,
        hidden=_is_hidden(row),
        kept_back=kept_back,
        unwatched=unwatched,
        annulled=row.annulled,
        imported=row.imported,
    )


def _is_hidden(row: Any) -> bool:
    since_ms = hidden_since_ms(row.results_from_ms, row.freezes_ms)
    return since_ms is not None and bool(row.started_ms >= since_ms)


def match_rows(connection: sa.Connection, rows: Sequence[Any]) -> list[MatchRow]:
    """Attempts from their rows of ``match_question``."""
    seats = seats_of(connection, [row.id for row in rows])
    kept_back, unwatched = matches_kept_back(connection, rows)
    return [
        match_row(row, seats[row.id], kept_back=row.id in kept_back, unwatched=row.id in unwatched)
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """A filter for matches; None lets all pass.

    Attributes:
        game: its name.
        bot: the name of a bot that takes part.
        opponent: the name of another bot that takes part; only beside ``bot``.
        tournament: its name.
        in_play: whether they have not ended yet; those with hidden results count as ended.
    """

    game: str | None = None
    bot: str | None = None
    opponent: str | None = None
    tournament: str | None = None
    in_play: bool | None = None


class ByBeginning:
    """Matches in the order they were begun in, by an index that ends in their id."""

    def __init__(
        self,
        connection: sa.Connection,
        wanted: MatchFilter,
        shown_until_ms: int | None,
        bots: Sequence[int],
    ) -> None:
        self._connection = connection
        matches = schema.matches
        self._number: sa.ColumnElement[int] = matches.c.id
        source: sa.FromClause = matches
        conditions = _conditions(connection, wanted, shown_until_ms)
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


class BySchedule:
    """Matches of a tournament in the order of its schedule, by an index."""

    def __init__(
        self,
        connection: sa.Connection,
        wanted: MatchFilter,
        shown_until_ms: int | None,
        tournament: str,
    ) -> None:
        self._connection = connection
        pairings, matches = schema.pairings, schema.matches
        self._question = (
            sa.select(matches.c.id, pairings.c.number, matches.c.attempt)
            .select_from(pairings.join(matches))
            .where(
                pairings.c.tournament_id == tournament_row(connection, tournament).id,
                *_conditions(connection, wanted, shown_until_ms),
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


def order_of(
    connection: sa.Connection, wanted: MatchFilter, shown_until_ms: int | None
) -> ByBeginning | BySchedule | None:
    """The order to list matches in; None if there can be none."""
    names = [name for name in (wanted.bot, wanted.opponent) if name is not None]
    bots = _bots(connection, names)
    if len(bots) < len(names):
        return None
    if wanted.tournament is None or bots:
        return ByBeginning(connection, wanted, shown_until_ms, bots)
    return BySchedule(connection, wanted, shown_until_ms, wanted.tournament)


def _bots(connection: sa.Connection, names: Sequence[str]) -> list[int]:
    if not names:
        return []
    table = schema.bots.c
    known = {
        row.name: row.id
        for row in connection.execute(sa.select(table.id, table.name).where(table.name.in_(names)))
    }
    return [known[name] for name in names if name in known]


def _conditions(
    connection: sa.Connection, wanted: MatchFilter, shown_until_ms: int | None
) -> list[sa.ColumnElement[bool]]:
    table = schema.matches.c
    conditions = untold_draws(connection)
    if wanted.game is not None:
        conditions.append(table.game == wanted.game)
    if shown_until_ms is not None:
        conditions.append(has_begun(shown_until_ms))
    if wanted.in_play is True:
        conditions.append(
            _without_reason() if shown_until_ms is None else was_in_play(shown_until_ms)
        )
        conditions.append(~is_withheld())
    elif wanted.in_play is False:
        ended = table.reason.is_not(None) if shown_until_ms is None else has_ended(shown_until_ms)
        conditions.append(sa.or_(ended, is_withheld()))
    return conditions


def _without_reason() -> sa.ColumnElement[bool]:
    """Condition that a match has not ended; those few are found by their index first."""
    going_on = schema.matches.alias("going_on").c
    return schema.matches.c.id.in_(sa.select(going_on.id).where(going_on.reason.is_(None)))


def _has_seat(match_id: sa.ColumnElement[int], bot: int) -> sa.ColumnElement[bool]:
    other = schema.seats.alias("of_opponent")
    return sa.exists().where(other.c.match_id == match_id, other.c.bot_id == bot)


def _numbers(place: str, count: int) -> list[int]:
    if not re.fullmatch(r"\d{1,18}" + r"\.\d{1,9}" * (count - 1), place, re.ASCII):
        raise NotInStoreError(Reason.of("no_such_place"))
    return [int(part) for part in place.split(".")]


MOST_ON_PAGE = 200


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A page of matches, latest first.

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


def matches_named(
    connection: sa.Connection, part: str, most: int, shown_until_ms: int | None
) -> tuple[MatchRow, ...]:
    """The last matches whose ids contain a part, in capitals or not, as pages may show them."""
    table = schema.matches.c
    question = (
        sa.select(table.id)
        .where(
            sa.func.lower(table.name).contains(part.lower(), autoescape=True),
            *_conditions(connection, MatchFilter(), shown_until_ms),
        )
        .order_by(table.id.desc())
        .limit(most)
    )
    return _matches(connection, list(connection.scalars(question)), shown_until_ms)
