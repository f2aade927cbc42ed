"""The order in which lists of matches are gone through, so that no list walks over everything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_store import schema
from polynya_store.statements import tournament_row
from polynya_store.visibility import has_begun, has_ended, was_in_play


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """A filter for matches; None lets all pass.

    Attributes:
        game: its name.
        bot: the name of a bot that takes part.
        opponent: the name of another bot that takes part; only beside ``bot``.
        tournament: its name.
        in_play: whether they have not ended yet.
    """

    game: str | None = None
    bot: str | None = None
    opponent: str | None = None
    tournament: str | None = None
    in_play: bool | None = None


class ByBeginning:
    """Matches in the order in which they were begun, found by an index that ends in their id."""

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
        conditions = list(_conditions(wanted, shown_until_ms))
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
    """The matches of a tournament, in the order of its schedule, which an index has ready."""

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
                *_conditions(wanted, shown_until_ms),
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
    """How the matches are gone through; None if there can be none."""
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


def _conditions(wanted: MatchFilter, shown_until_ms: int | None) -> list[sa.ColumnElement[bool]]:
    table = schema.matches.c
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.game is not None:
        conditions.append(table.game == wanted.game)
    if shown_until_ms is not None:
        conditions.append(has_begun(shown_until_ms))
    if wanted.in_play is True:
        conditions.append(
            table.reason.is_(None) if shown_until_ms is None else was_in_play(shown_until_ms)
        )
    elif wanted.in_play is False:
        conditions.append(
            table.reason.is_not(None) if shown_until_ms is None else has_ended(shown_until_ms)
        )
    return conditions


def _has_seat(match_id: sa.ColumnElement[int], bot: int) -> sa.ColumnElement[bool]:
    other = schema.seats.alias("of_opponent")
    return sa.exists().where(other.c.match_id == match_id, other.c.bot_id == bot)


def _numbers(place: str, count: int) -> list[int]:
    if not re.fullmatch(r"\d{1,18}" + r"\.\d{1,9}" * (count - 1), place, re.ASCII):
        raise NotInStoreError("this is no place in the list of matches; begin with its first page")
    return [int(part) for part in place.split(".")]
