"""Results that an earlier process has kept in a file, recorded where their matches still wait."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_server.records import MatchRecord, decode_replay
from polynya_store import schema
from polynya_store.matches import match_recording


@dataclass(frozen=True, slots=True)
class KeptResults:
    """The outcome of recording the results in a file.

    Attributes:
        recorded: how many are recorded now.
        known: how many had been recorded before.
        foreign: how many belong to no match of the database, or cannot be read.
    """

    recorded: int
    known: int
    foreign: int


def record_kept(connection: sa.Connection, documents: Sequence[bytes]) -> KeptResults:
    """Record kept results, in the order in which the matches ended, as if they came now.

    A result that is there already is left as it is, so a file may be read twice.

    Args:
        connection: in a transaction, before what is in play is declared void.
        documents: replays.
    """
    records = sorted(_decoded(documents), key=lambda record: record.finished_ms)
    in_play, known = [], 0
    for record in {record.setup.match: record for record in records}.values():
        row = _match(connection, record.setup.match)
        if row is None or row.players != list(record.setup.players):
            continue
        if row.reason is None:
            in_play.append(record)
        elif (row.reason, row.finished_ms) == (record.reason, record.finished_ms):
            known += 1
    match_recording.finish_matches(connection, in_play)
    return KeptResults(len(in_play), known, len(documents) - len(in_play) - known)


def _decoded(documents: Iterable[bytes]) -> Iterable[MatchRecord]:
    for document in documents:
        with suppress(ValueError):  # counted as foreign
            yield decode_replay(document)


@dataclass(frozen=True, slots=True)
class _Match:
    reason: str | None
    finished_ms: int | None
    players: list[str]


def _match(connection: sa.Connection, name: str) -> _Match | None:
    matches, seats, bots = schema.matches, schema.seats, schema.bots
    rows: Sequence[Any] = connection.execute(
        sa.select(matches.c.reason, matches.c.finished_ms, bots.c.name)
        .select_from(matches.join(seats, seats.c.match_id == matches.c.id).join(bots))
        .where(matches.c.name == name)
        .order_by(seats.c.seat)
    ).all()
    if not rows:
        return None
    return _Match(rows[0].reason, rows[0].finished_ms, [row.name for row in rows])
