"""The schedule of a tournament page by page: each match with its state and result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.reasons import Cause
from polynya_contest.pairing.formats import Block
from polynya_store import schema
from polynya_store.matches.match_list import seats_of
from polynya_store.rows import PairingRow, SeatRow
from polynya_store.statements import tournament_row
from polynya_store.tournaments.counted_results import MOST_NUMBER, last_shown
from polynya_store.tournaments.open_pairings import OPEN, WALKOVER
from polynya_store.tournaments.recorded_rounds import last_drawn_round
from polynya_store.visibility import hidden_seats, hidden_since_of


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
    detail: Cause | None
    match: str | None
    seats: tuple[SeatRow, ...]


def schedule_page(
    connection: sa.Connection,
    tournament: str,
    *,
    page: int = 1,
    size: int = 50,
    shown_until_ms: int | None = None,
) -> tuple[ScheduleRow, ...]:
    """A page of a tournament's schedule, from 1; empty behind its end.

    Results that are hidden are not on it, nor rounds that follow from those.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    pairings, matches = schema.pairings, schema.matches
    found = tournament_row(connection, tournament)
    hidden_since, told = hidden_since_of(found), MOST_NUMBER
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
    if hidden_since is not None:
        last = last_drawn_round(connection, found, hidden_since)
        rows = [row for row in rows if Block(row.block, ()).round <= last]
        told = last_shown(connection, found.id, hidden_since)
        began = {row.match_id: row.started_ms for row in rows}
        seats = {
            number: hidden_seats(of_match) if began[number] >= hidden_since else of_match
            for number, of_match in seats.items()
            if number in began
        }
    return tuple(_schedule_row(row, seats, shown_until_ms, told) for row in rows)


def _schedule_row(
    row: Any, seats: dict[int, tuple[SeatRow, ...]], shown_until_ms: int | None, told: int
) -> ScheduleRow:
    """A line; ``told`` is the last match that may be told to have been missed."""
    match, shown, in_play = row.name, seats.get(row.match_id), row.reason is None
    if match is not None and shown_until_ms is not None:
        if row.started_ms > shown_until_ms:
            match = shown = None
        elif in_play or row.finished_ms > shown_until_ms:
            in_play, shown = True, None
    state = row.state if match == row.name else "open"
    untold = state == WALKOVER and row.number > told
    return ScheduleRow(
        number=row.number,
        block=row.block,
        state="in_play" if match is not None and in_play else OPEN if untold else state,
        detail=None if untold else row.detail,
        match=match,
        seats=shown or tuple(SeatRow(name, None, None, None) for name in row.players),
    )


def pairings(connection: sa.Connection, name: str) -> list[PairingRow]:
    """All matches that were drawn up for a tournament, in the order of its schedule."""
    drawn, attempts = schema.pairings, schema.matches
    with_result = sa.and_(
        attempts.c.pairing_id == drawn.c.id, attempts.c.reason.in_(("finished", "forfeit"))
    )
    rows = connection.execute(
        sa.select(drawn, attempts.c.name.label("match"))
        .select_from(drawn.outerjoin(attempts, with_result))
        .where(drawn.c.tournament_id == tournament_row(connection, name).id)
        .order_by(drawn.c.number)
    )
    return [
        PairingRow(
            number=row.number,
            block=row.block,
            players=tuple(row.players),
            seed=int(row.seed),
            state=row.state,
            detail=row.detail,
            match=row.match,
            missing=row.missing or {},
        )
        for row in rows
    ]
