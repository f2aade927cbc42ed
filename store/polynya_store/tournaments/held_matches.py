"""The matches that wait for the host because the rules of their game failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.reasons import Cause
from polynya_common.text import join_words
from polynya_server.records import MatchRecord, RulesFailure, decode_replay
from polynya_store import schema
from polynya_store.statements import tournament_row
from polynya_store.tournaments.open_pairings import HELD, failed_by_rules

MOST_SHOWN = 50
"""How many of these matches are listed."""

_MOST_ASKED = 600
"""The number of characters of a question that stand in a sentence; the log has more."""


@dataclass(frozen=True, slots=True)
class FailedMatch:
    """A match whose rules failed.

    Attributes:
        match: the id of the annulled attempt.
        number: in its tournament, from 1; None on a ladder.
        players: the bots by seat.
        why: what went wrong.
        moved: the bots whose answer, forfeit or question led to it; empty if it was the set-up.
        question: what the rules were asked, as text, shortened; it may hold hidden parts of the
            position, so it is for the host alone.
    """

    match: str
    number: int | None
    players: tuple[str, ...]
    why: Cause
    moved: tuple[str, ...]
    question: str

    @property
    def clauses(self) -> str:
        """The bots that acted, and a part of the question, to follow ``why`` in a sentence."""
        who = f"; {join_words(self.moved)} acted before" if self.moved else ""
        dots = " ..." if len(self.question) > _MOST_ASKED else ""
        asked = f"; the rules were asked {self.question[:_MOST_ASKED]}{dots}"
        return who + (asked if self.question else "")


@dataclass(frozen=True, slots=True)
class Held:
    """All that waits in a tournament.

    Attributes:
        matches: how many matches wait.
        failed: the first ones of those whose own rules failed, in the order of the schedule.
    """

    matches: int
    failed: tuple[FailedMatch, ...]


def held(connection: sa.Connection, tournament: str) -> Held:
    """The matches of a tournament that wait for the host.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    pairings, matches, replays = schema.pairings.c, schema.matches.c, schema.replays.c
    of_it = sa.and_(
        pairings.tournament_id == tournament_row(connection, tournament).id,
        pairings.state == HELD,
    )
    last = (  # of several attempts
        sa.select(sa.func.max(matches.id))
        .select_from(schema.pairings.join(schema.matches))
        .where(of_it, failed_by_rules(matches.detail), failed_by_rules(pairings.detail))
        .group_by(pairings.id)
    )
    rows = connection.execute(
        sa.select(matches.name, matches.detail, pairings.number, pairings.players, replays.document)
        .select_from(schema.pairings.join(schema.matches).outerjoin(schema.replays))
        .where(matches.id.in_(last))
        .order_by(pairings.number)
        .limit(MOST_SHOWN)
    )
    count = connection.scalar(sa.select(sa.func.count()).where(of_it)) or 0
    return Held(count, tuple(_failed(row) for row in rows))


def all_held(connection: sa.Connection) -> list[tuple[str, Held]]:
    """The same for each tournament in which matches wait, oldest first."""
    tournaments, pairings = schema.tournaments.c, schema.pairings.c
    waiting = sa.exists().where(pairings.tournament_id == tournaments.id, pairings.state == HELD)
    names = connection.scalars(sa.select(tournaments.name).where(waiting).order_by(tournaments.id))
    return [(name, held(connection, name)) for name in names.all()]


def _failed(row: Any) -> FailedMatch:
    """A match, from its row; of a replay that was removed only what stands elsewhere."""
    if row.document is not None:
        return failed_match(decode_replay(row.document), row.number)
    return FailedMatch(row.name, row.number, tuple(row.players), row.detail, (), "")


def failed_match(record: MatchRecord, number: int | None = None) -> FailedMatch:
    """A match, from its record."""
    failure, players = record.rules_failure, record.setup.players
    told = failure if isinstance(failure, RulesFailure) else RulesFailure((), "")
    return FailedMatch(
        match=record.setup.match,
        number=number,
        players=players,
        why=record.detail or "",
        moved=tuple(players[seat] for seat in told.seats),
        question=told.question,
    )
