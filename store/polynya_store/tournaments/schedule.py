"""A tournament's schedule, and the place of a match in it: its meeting and its round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.reasons import Cause
from polynya_contest.pairing.formats import Block
from polynya_store import schema
from polynya_store.rows import SeatRow
from polynya_store.seats_of_matches import seats_of
from polynya_store.statements import tournament_row
from polynya_store.tournaments.counted_results import MOST_NUMBER, last_shown
from polynya_store.tournaments.open_pairings import OPEN, PLAYED
from polynya_store.tournaments.recorded_rounds import last_drawn_round
from polynya_store.visibility import hidden_seats, hidden_since_of


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A match of a schedule.

    Attributes:
        number: in its tournament, from 1.
        block: the key of its block.
        state: ``open``, ``in_play``, ``played``, ``abandoned``, ``held``, ``walkover``
            or ``dropped``.
        detail: why it was not played, a sentence.
        match: the id of the attempt that is in play or gave the result; None without one.
        seats: by seat.
        length_ms: how long the match that gave the result was played; None without.
    """

    number: int
    block: str
    state: str
    detail: Cause | None
    match: str | None
    seats: tuple[SeatRow, ...]
    length_ms: int | None = None


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
    first = (page - 1) * size + 1
    found = tournament_row(connection, tournament)
    return schedule_rows(connection, found, first, first + size - 1, shown_until_ms)


def schedule_rows(
    connection: sa.Connection,
    found: Any,
    first: int,
    last_wanted: int,
    shown_until_ms: int | None = None,
) -> tuple[ScheduleRow, ...]:
    """The matches of a tournament, by its row, from one number to another; as above."""
    pairings, matches = schema.pairings, schema.matches
    hidden_since, told = hidden_since_of(found), MOST_NUMBER
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
            pairings.c.number.between(first, last_wanted),
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
    return tuple(_schedule_row(row, seats, shown_until_ms, told, hidden_since) for row in rows)


def _schedule_row(
    row: Any,
    seats: dict[int, tuple[SeatRow, ...]],
    shown_until_ms: int | None,
    told: int,
    hidden_since: int | None,
) -> ScheduleRow:
    """A line of the schedule; ``told`` is the last match whose absences may be shown."""
    match, shown, in_play = row.name, seats.get(row.match_id), row.reason is None
    hidden = match is not None and hidden_since is not None and row.started_ms >= hidden_since
    if match is not None and shown_until_ms is not None:
        if row.started_ms > shown_until_ms:
            match = shown = None
        elif in_play or row.finished_ms > shown_until_ms:
            in_play, shown = True, None
    state = row.state if match == row.name else "open"
    if hidden and match is not None:
        in_play, state = False, PLAYED
    length_ms = None
    if shown is not None and not hidden and not in_play and row.finished_ms is not None:
        length_ms = max(0, row.finished_ms - row.started_ms)
    untold = state != PLAYED and row.number > told
    return ScheduleRow(
        number=row.number,
        block=row.block,
        state="in_play" if match is not None and in_play else OPEN if untold else state,
        detail=None if untold else row.detail,
        match=match,
        seats=shown or tuple(SeatRow(name, None, None, None) for name in row.players),
        length_ms=length_ms,
    )


@dataclass(frozen=True, slots=True)
class Meeting:
    """The place of a match in its tournament.

    Attributes:
        tournament: its name.
        round: the number of the round, from 1.
        players: the bots that meet, by seat in the first of the matches.
        rows: the matches of the meeting, in the order of the schedule.
        before, after: the next matches of the round on either side, of other meetings, that have
            begun: ids; None without one.
    """

    tournament: str
    round: int
    players: tuple[str, ...]
    rows: tuple[ScheduleRow, ...]
    before: str | None
    after: str | None

    @property
    def points(self) -> tuple[float, ...]:
        """The points of each bot in the meeting: opponents left behind, a tie counting 1/2."""
        points = dict.fromkeys(self.players, 0.0)
        for row in self.rows:
            ranks = [(seat.name, seat.rank) for seat in row.seats if seat.rank is not None]
            for name, rank in ranks:
                others = [other for opponent, other in ranks if opponent != name]
                won = sum(1.0 if rank < other else 0.5 * (rank == other) for other in others)
                points[name] = points.get(name, 0.0) + won
        return tuple(points[name] for name in self.players)


def meeting_of(
    connection: sa.Connection, match: str, shown_until_ms: int | None = None
) -> Meeting | None:
    """The place of a match in its tournament, as it may be shown; None of a ladder's match."""
    pairings, matches = schema.pairings.c, schema.matches
    here = connection.execute(
        sa.select(schema.tournaments, pairings.tournament_id, pairings.block, pairings.number)
        .select_from(matches.join(schema.pairings).join(schema.tournaments))
        .where(matches.c.name == match)
    ).first()
    if here is None:
        return None
    key = _meeting_key(here.block)
    spans = connection.execute(
        sa.select(
            pairings.block,
            sa.func.min(pairings.number).label("first"),
            sa.func.max(pairings.number).label("last"),
        )
        .where(pairings.tournament_id == here.tournament_id)
        .group_by(pairings.block)
    ).all()
    keys = {one.block: _meeting_key(one.block) for one in spans}
    own = [one for one in spans if keys[one.block] == key]
    first, last = min(one.first for one in own), max(one.last for one in own)
    of_round = {one.block for one in spans if keys[one.block][1] == key[1]}
    rows = schedule_rows(connection, here, max(1, first - AROUND), last + AROUND, shown_until_ms)
    meeting = tuple(row for row in rows if keys[row.block] == key)
    begun = [
        (row.number, row.match)
        for row in rows
        if row.match is not None and row.block in of_round and row not in meeting
    ]
    return Meeting(
        tournament=here.name,
        round=Block(here.block, ()).round,
        players=tuple(seat.name for seat in meeting[0].seats) if meeting else (),
        rows=meeting,
        before=next((name for at, name in reversed(begun) if at < here.number), None),
        after=next((name for at, name in begun if at > here.number), None),
    )


def _meeting_key(block: str) -> tuple[str, str, tuple[str, ...]]:
    """The part, the round and the bots of a block: a meeting can take several blocks."""
    part, round_, *rest = block.split("/", 3)
    return part, round_, tuple(sorted(rest[-1].split(","))) if rest else ()


AROUND = 50
"""Matches of a round that are looked at on either side of a meeting at the most."""
