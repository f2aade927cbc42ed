"""Matches that are still to be played: listed, given up, or dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from polynya_contest.pairing.schedule import Pairing
from polynya_store import schema
from polynya_store.ratings import rating_order
from polynya_store.tournaments.pairing_states import (
    DROPPED,
    UNDECIDED,
)


@dataclass(frozen=True, slots=True)
class OpenPairing:
    """A pairing without a result: its id in the database and the attempts made so far."""

    id: int
    pairing: Pairing
    attempts: int


def open_pairings(
    connection: sa.Connection, tournament_id: int, after: int = 0
) -> list[OpenPairing]:
    """The pairings still to be played, in the order of the schedule; abandoned ones count again.

    With ``after`` only those that were drawn after the match of this number.
    """
    pairings, matches = schema.pairings, schema.matches
    connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.tournament_id == tournament_id,
            pairings.c.state == "abandoned",
            pairings.c.number > after,
        )
        .values(state="open", detail=None)
    )
    rows = connection.execute(
        sa.select(pairings, sa.func.count(matches.c.id).label("attempts"))
        .select_from(pairings.outerjoin(matches))
        .where(
            pairings.c.tournament_id == tournament_id,
            pairings.c.state == "open",
            pairings.c.number > after,
        )
        .group_by(pairings.c.id)
        .order_by(pairings.c.number)
    )
    return [
        OpenPairing(
            row.id,
            Pairing(row.number, row.block, tuple(row.players), int(row.seed)),
            row.attempts,
        )
        for row in rows
    ]


def drop(connection: sa.Connection, decided: Sequence[tuple[int, str]]) -> list[int]:
    """Record that what is left of tournaments (by id, with a sentence why) need not be played.

    Matches in play go on. Returns how many pairings were dropped of each tournament.
    """
    return [_drop(connection, tournament_id, why) for tournament_id, why in decided]


def _drop(connection: sa.Connection, tournament_id: int, why: str) -> int:
    pairings, matches = schema.pairings, schema.matches
    in_play = sa.exists().where(matches.c.pairing_id == pairings.c.id, matches.c.reason.is_(None))
    dropped = connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.tournament_id == tournament_id,
            pairings.c.state.in_(UNDECIDED),
            sa.not_(in_play),
        )
        .values(state=DROPPED, detail=why)
    ).rowcount
    rating_order.rate_waiting(connection, tournament_id)
    return dropped


def abandon(
    connection: sa.Connection, given_up: Sequence[tuple[int, Sequence[int], str]]
) -> list[None]:
    """Record that pairings were given up, so that later matches can be rated.

    Each is the tournament's id, the pairings' ids and a sentence why.
    """
    pairings = schema.pairings
    connection.execute(
        sa.update(pairings)
        .where(pairings.c.id == sa.bindparam("pairing"), pairings.c.state == "open")
        .values(state="abandoned", detail=sa.bindparam("why")),
        [{"pairing": number, "why": why} for _, numbers, why in given_up for number in numbers],
    )
    for tournament_id in sorted({number for number, _, _ in given_up}):
        rating_order.rate_waiting(connection, tournament_id)
    return [None] * len(given_up)
