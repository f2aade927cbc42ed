"""Limits on what pages show: hidden results of tournaments, and the live delay.

A tournament hides its results until a time (``results_from_ms``): all of them, or those of the
matches that begin from another time on (``freezes_ms``), when its table freezes. Of a match whose
result is hidden pages show the players and the beginning, from its beginning to the reveal alike:
whether it is over, and when it ended, would tell of an early forfeit. Ratings wait, too: see
``ratings/rating_order.py``.

``shown_until_ms`` (ms since 1970) is the moment that pages show where matches are shown with a
delay: a match that began later does not exist yet, and a match that ended later is in play. It is
None where everything is shown at once.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.formats import Block
from polynya_contest.pairing.formats.formats_by_name import DRAWN_AHEAD
from polynya_store import schema
from polynya_store.backends.sql import now_ms
from polynya_store.rows import MatchRow, SeatRow

RECENT_MATCHES = 10_000
"""Number of last matches searched for those that ended within the delay."""


def with_tournament(source: sa.FromClause) -> sa.FromClause:
    """Matches joined with the tournaments that :func:`is_public` looks at."""
    return source.outerjoin(
        schema.pairings, schema.pairings.c.id == schema.matches.c.pairing_id
    ).outerjoin(schema.tournaments, schema.tournaments.c.id == schema.pairings.c.tournament_id)


def is_public(shown_until_ms: int | None) -> sa.ColumnElement[bool]:
    """Condition that a match's result may be shown now."""
    tournament = schema.tournaments.c
    revealed = sa.or_(
        tournament.results_from_ms.is_(None),
        tournament.results_from_ms <= now_ms(),
        schema.matches.c.started_ms < tournament.freezes_ms,
    )
    return revealed if shown_until_ms is None else sa.and_(revealed, has_ended(shown_until_ms))


def is_withheld() -> sa.ColumnElement[bool]:
    """Condition that a match's result is hidden now, for statements without tournaments."""
    pairing, tournament = schema.pairings.alias("withheld"), schema.tournaments.alias("withholding")
    return (
        sa.exists()
        .where(
            pairing.c.id == schema.matches.c.pairing_id,
            tournament.c.id == pairing.c.tournament_id,
            tournament.c.results_from_ms > now_ms(),
            sa.or_(
                tournament.c.freezes_ms.is_(None),
                schema.matches.c.started_ms >= tournament.c.freezes_ms,
            ),
        )
        .correlate(schema.matches)
    )


def untold_draws(connection: sa.Connection) -> list[sa.ColumnElement[bool]]:
    """Conditions that a match was drawn without looking at hidden results.

    The players of a later round of an elimination or a Swiss tournament tell of the earlier ones.
    """
    table, pairing = schema.tournaments.c, schema.pairings.alias("untold")
    hiding = connection.execute(
        sa.select(schema.tournaments).where(table.results_from_ms > now_ms())
    )
    limits = [(row.id, _last_told(connection, row)) for row in hiding if _draws_from_results(row)]
    return [
        ~sa.exists()
        .where(
            pairing.c.id == schema.matches.c.pairing_id,
            pairing.c.tournament_id == number,
            pairing.c.number > last,
        )
        .correlate(schema.matches)
        for number, last in limits
        if last is not None
    ]


def _draws_from_results(tournament: Any) -> bool:
    return json.loads(tournament.configuration)["format"] not in DRAWN_AHEAD


def _last_told(connection: sa.Connection, tournament: Any) -> int | None:
    """The last match of the first round with a hidden result; None without one."""
    pairings, matches = schema.pairings.c, schema.matches.c
    since_ms = hidden_since_of(tournament) or 0
    rows = connection.execute(
        sa.select(pairings.block, sa.func.max(pairings.number), sa.func.max(matches.started_ms))
        .select_from(schema.pairings.outerjoin(schema.matches))
        .where(pairings.tournament_id == tournament.id)
        .group_by(pairings.block)
    )
    drawn = [(Block(block, ()).round, number, began) for block, number, began in rows]
    hidden = [one for one, _, began in drawn if began is not None and began >= since_ms]
    if not hidden:
        return None
    last: int = max(number for one, number, _ in drawn if one <= min(hidden))
    return last


def counts() -> sa.ColumnElement[bool]:
    """Condition that a match is not annulled: statistics leave annulled ones out."""
    return ~sa.exists().where(schema.annulments.c.match_id == schema.matches.c.id)


def has_begun(shown_until_ms: int) -> sa.ColumnElement[bool]:
    """Condition that a match had begun at this moment."""
    return schema.matches.c.started_ms <= shown_until_ms


def has_ended(shown_until_ms: int) -> sa.ColumnElement[bool]:
    """Condition that a match had ended at this moment."""
    return schema.matches.c.finished_ms <= shown_until_ms


def was_in_play(shown_until_ms: int) -> sa.ColumnElement[bool]:
    """Condition that a match, in play or one of the last, had not ended at this moment.

    Some are missing if a server begins more than ``RECENT_MATCHES`` matches within the delay.
    """
    table = schema.matches.c
    newest = sa.select(sa.func.max(table.id)).scalar_subquery()
    ended_since = sa.select(table.id).where(
        table.id > newest - RECENT_MATCHES, table.finished_ms > shown_until_ms
    )
    return table.id.in_(sa.select(table.id).where(table.reason.is_(None)).union_all(ended_since))


def hidden_since_ms(results_from_ms: int | None, freezes_ms: int | None) -> int | None:
    """Results of matches that began from this time on are hidden now: 0 for all, None for none."""
    if results_from_ms is None or now_ms() >= results_from_ms:
        return None
    return freezes_ms or 0


def hidden_since_of(tournament: Any) -> int | None:
    """The same of a row of the tournaments' table."""
    return hidden_since_ms(tournament.results_from_ms, tournament.freezes_ms)


def is_hidden(results_from_ms: int | None, freezes_ms: int | None = None) -> bool:
    """Whether some results of a tournament may be hidden now, because its table is frozen."""
    since_ms = hidden_since_ms(results_from_ms, freezes_ms)
    return since_ms is not None and now_ms() >= since_ms


def as_shown(row: MatchRow, shown_until_ms: int | None) -> MatchRow:
    """A match as pages may show it now."""
    if row.hidden:
        return without_result(row)
    if (
        shown_until_ms is not None
        and row.finished_ms is not None
        and row.finished_ms > shown_until_ms
    ):
        return as_in_play(row)
    return row


def as_in_play(row: MatchRow) -> MatchRow:
    """An ended match shown as in play."""
    return replace(
        row,
        finished_ms=None,
        reason=None,
        termination=None,
        detail=None,
        server_fault=False,
        seats=hidden_seats(row.seats),
    )


def without_result(row: MatchRow) -> MatchRow:
    """A match with its players, but without its result, and without whether it has one yet."""
    return replace(as_in_play(row), reason="finished", annulled=None)


def hidden_seats(seats: tuple[SeatRow, ...]) -> tuple[SeatRow, ...]:
    """The bots by seat, without their results."""
    return tuple(SeatRow(seat.name, None, None, None) for seat in seats)


class LiveDelay:
    """The delay of everything that pages show of matches.

    Attributes:
        ms: the delay; 0 shows everything at once. The server that plays sets it.
    """

    def __init__(self) -> None:
        self.ms = 0

    def shown_until_ms(self) -> int | None:
        """The moment up to which pages show events, ms since 1970; None for all."""
        return now_ms() - self.ms if self.ms else None
