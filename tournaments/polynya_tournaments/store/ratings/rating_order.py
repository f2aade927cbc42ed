"""When a match is rated: the order that ratings are applied in.

A match on a ladder is rated when it ends. A match of a tournament is rated when all that come
before it in the schedule have ended, so that ratings do not depend on which match was quicker. A
pairing that was given up does not hold later ones back; if it is played after all, its match is
rated then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.store import schema
from polynya_tournaments.store.ratings import applied_ratings
from polynya_tournaments.store.ratings.applied_ratings import RatedBot


def rate_ended(connection: sa.Connection, ended: Sequence[Any]) -> dict[int, list[RatedBot]]:
    """Rate what can be rated after these matches have got their results.

    Args:
        connection: in the transaction that recorded the results.
        ended: rows with ``id``, ``rated``, ``tournament_id`` and ``number`` (of the pairing).

    Returns:
        The bots by match id: of the given matches, and of those that were waiting for them.
    """
    match_ids = [row.id for row in ended if row.rated and row.tournament_id is None]
    numbers: dict[int, list[int]] = defaultdict(list)
    for row in ended:
        if row.tournament_id is not None:
            numbers[row.tournament_id].append(row.number)
    for tournament_id, played in sorted(numbers.items()):
        match_ids += _advance(connection, tournament_id, played)
    return applied_ratings.apply(connection, applied_ratings.results(connection, match_ids))


def rate_waiting(connection: sa.Connection, tournament_id: int) -> None:
    """Rate the matches of a tournament that nothing holds back any more."""
    match_ids = _advance(connection, tournament_id, [])
    applied_ratings.apply(connection, applied_ratings.results(connection, match_ids))


def _advance(connection: sa.Connection, tournament_id: int, played: Sequence[int]) -> list[int]:
    """Move the tournament's mark behind the pairings that have ended.

    Returns:
        The ids of the matches to rate now, in the order of the schedule: those that the mark has
        passed, and those of ``played`` (numbers of pairings) that it had passed before.
    """
    tournaments = schema.tournaments
    of_tournament = tournaments.c.id == tournament_id
    mark = connection.scalar(sa.select(tournaments.c.rated_through).where(of_tournament)) or 0
    through = max(mark, _ended_through(connection, tournament_id))
    connection.execute(sa.update(tournaments).where(of_tournament).values(rated_through=through))
    number = schema.pairings.c.number
    late = [found for found in played if found <= mark]
    return _rated_matches(
        connection,
        schema.pairings.c.tournament_id == tournament_id,
        sa.or_(number.between(mark + 1, through), number.in_(late)),
    )


def _ended_through(connection: sa.Connection, tournament_id: int) -> int:
    """The number of the last pairing before the first that is open."""
    pairings = schema.pairings.c
    of_tournament = pairings.tournament_id == tournament_id
    first_open = connection.scalar(
        sa.select(sa.func.min(pairings.number)).where(of_tournament, pairings.state == "open")
    )
    if first_open is not None:
        return int(first_open) - 1
    return connection.scalar(sa.select(sa.func.max(pairings.number)).where(of_tournament)) or 0


def _rated_matches(connection: sa.Connection, *which: sa.ColumnElement[bool]) -> list[int]:
    """The ids of the matches of some pairings that have a result and count."""
    matches, pairings, seats = schema.matches, schema.pairings, schema.seats
    first_seat = sa.and_(seats.c.match_id == matches.c.id, seats.c.seat == 0)
    return list(
        connection.scalars(
            sa.select(matches.c.id)
            .select_from(matches.join(pairings).join(seats, first_seat))
            .where(*which, matches.c.rated, seats.c.rank.is_not(None))
            .order_by(pairings.c.number)
        )
    )
