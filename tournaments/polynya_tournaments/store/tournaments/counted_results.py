"""What became of the matches of tournaments, counted by the database: it takes no memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.pairing.standings import NOT_READY, MatchResult, Walkover
from polynya_tournaments.store import schema
from polynya_tournaments.store.tournaments.pairing_states import ABANDONED, WALKOVER


def state_counts(
    connection: sa.Connection, tournament_id: int | None = None
) -> Mapping[int, Counter[str]]:
    """How many matches there are of each state, by tournament; of one tournament, or all."""
    pairings = schema.pairings.c
    question = sa.select(pairings.tournament_id, pairings.state, sa.func.count().label("number"))
    if tournament_id is not None:
        question = question.where(pairings.tournament_id == tournament_id)
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row in connection.execute(question.group_by(pairings.tournament_id, pairings.state)):
        counts[row.tournament_id][row.state] = row.number
    return counts


def counted_results(
    connection: sa.Connection, tournament_id: int, players: int
) -> Counter[MatchResult]:
    """Each different result, with how often it occurred; ``players`` is the number of seats."""
    pairings, matches = schema.pairings, schema.matches
    source: sa.FromClause = pairings.join(matches)
    columns: list[sa.ColumnElement[Any]] = []
    for number in range(players):
        seat = schema.seats.alias(f"seat_{number}")
        here = sa.and_(seat.c.match_id == matches.c.id, seat.c.seat == number)
        source = source.join(seat, here)
        columns += [seat.c.bot_id, seat.c.rank, seat.c.forfeit]
    rows = connection.execute(
        sa.select(sa.func.count(), *columns)
        .select_from(source)
        .where(pairings.c.tournament_id == tournament_id, columns[1].is_not(None))
        .group_by(*columns)
    )
    names = _names(connection, tournament_id)
    counted: Counter[MatchResult] = Counter()
    for number, *seats in rows:
        by_seat = zip(seats[::3], seats[1::3], seats[2::3], strict=True)
        counted[_result([(names[bot], rank, why) for bot, rank, why in by_seat])] += number
    return counted


def _result(seats: list[tuple[str, int, str | None]]) -> MatchResult:
    return MatchResult(
        tuple(name for name, _, _ in seats),
        tuple(rank for _, rank, _ in seats),
        tuple(why is not None for _, _, why in seats),
        tuple(name for name, _, why in seats if why == NOT_READY),
    )


def _names(connection: sa.Connection, tournament_id: int) -> dict[int, str]:
    bots, entrants = schema.bots.c, schema.entrants
    rows = connection.execute(
        sa.select(bots.id, bots.name)
        .select_from(schema.bots.join(entrants))
        .where(entrants.c.tournament_id == tournament_id)
    )
    return {row.id: row.name for row in rows}


def counted_walkovers(connection: sa.Connection, tournament_id: int) -> list[tuple[Walkover, int]]:
    """Each different walkover, with how often it occurred."""
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.players, pairings.missing, sa.func.count())
        .where(pairings.tournament_id == tournament_id, pairings.missing.is_not(None))
        .group_by(pairings.players, pairings.missing)
    )
    return [(Walkover(tuple(players), missing), number) for players, missing, number in rows]


def counted_unplayed(
    connection: sa.Connection, tournament_id: int
) -> list[tuple[str | None, Mapping[str, str] | None, int]]:
    """Why matches were not played, the bots that missed them, and how many they are; in order."""
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.detail, pairings.missing, sa.func.count())
        .where(pairings.tournament_id == tournament_id, pairings.state.in_((ABANDONED, WALKOVER)))
        .group_by(pairings.detail, pairings.missing)
        .order_by(sa.func.min(pairings.number))
    )
    return [(detail, missing, number) for detail, missing, number in rows]
