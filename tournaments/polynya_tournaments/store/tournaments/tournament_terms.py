"""What a tournament's entrants may always know of it, whatever is hidden: its terms."""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec
import sqlalchemy as sa

from polynya_protocol.messages import Clock
from polynya_tournaments.store import schema
from polynya_tournaments.store.lookup import tournament_row
from polynya_tournaments.store.visibility import is_hidden


@dataclass(frozen=True, slots=True)
class Terms:
    """What is said of a tournament beside its results; times are ms since 1970.

    Attributes:
        clock: of each match.
        closes_ms: when submissions close and matches begin; None without such a time.
        results_from_ms: when results are shown; None for at once.
        begun: whether a match has begun.
        hidden: whether results are hidden now.
    """

    clock: Clock
    closes_ms: int | None
    results_from_ms: int | None
    begun: bool
    hidden: bool


def terms(connection: sa.Connection, tournament: str) -> Terms:
    """The terms of a tournament.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    row = tournament_row(connection, tournament)
    pairings, matches = schema.pairings, schema.matches
    begun = sa.select(
        sa.exists()
        .where(matches.c.pairing_id == pairings.c.id, pairings.c.tournament_id == row.id)
        .correlate(None)
    )
    return Terms(
        clock=msgspec.convert(json.loads(row.configuration)["clock"], Clock),
        closes_ms=row.closes_ms,
        results_from_ms=row.results_from_ms,
        begun=bool(connection.scalar(begun)),
        hidden=is_hidden(row.results_from_ms),
    )
