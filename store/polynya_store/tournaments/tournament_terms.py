"""The terms of a tournament: its entrants may always know them, though results are hidden."""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec
import sqlalchemy as sa

from polynya_protocol.messages import Clock
from polynya_store import schema
from polynya_store.statements import tournament_row
from polynya_store.visibility import is_hidden


@dataclass(frozen=True, slots=True)
class Terms:
    """All that is said of a tournament beside its results; times are ms since 1970.

    Attributes:
        clock: of each match.
        closes_ms: when submissions close and matches begin; None without such a time.
        results_from_ms: when results are shown; None for at once.
        freezes_ms: results of matches that began before then are shown earlier; None for none.
        begun: whether a match has begun.
        hidden: whether all results are hidden now.
        frozen: whether those of the matches that began since ``freezes_ms`` are hidden now.
        created_ms: when it was drawn up.
        ended_ms: when its last match ended so far; None without any.
    """

    clock: Clock
    closes_ms: int | None
    results_from_ms: int | None
    freezes_ms: int | None
    begun: bool
    hidden: bool
    frozen: bool
    created_ms: int
    ended_ms: int | None


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
    ended = (
        sa.select(sa.func.max(matches.c.finished_ms))
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == row.id)
    )
    hidden = is_hidden(row.results_from_ms, row.freezes_ms)
    return Terms(
        clock=msgspec.convert(json.loads(row.configuration)["clock"], Clock),
        closes_ms=row.closes_ms,
        results_from_ms=row.results_from_ms,
        freezes_ms=row.freezes_ms,
        begun=bool(connection.scalar(begun)),
        hidden=hidden and row.freezes_ms is None,
        frozen=hidden and row.freezes_ms is not None,
        created_ms=row.created_ms,
        ended_ms=connection.scalar(ended),
    )
