"""The last results that can be played back, with the ratings that their bots had."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.matches.kept_back import keeping_back
from polynya_store.matches.match_list import match_question, match_rows
from polynya_store.rows import MatchRow
from polynya_store.visibility import counts, is_public, untold_draws, with_tournament

RECENT = 150
"""How many matches are looked at."""


@dataclass(frozen=True, slots=True)
class RecentResult:
    """A match that was played out, and each seat's rating before it; None without one.

    Attributes:
        row: the match.
        ratings: by seat.
        system: what these ratings are made by; None without any.
    """

    row: MatchRow
    ratings: tuple[float | None, ...]
    system: str | None


def recent_results(
    connection: sa.Connection,
    *,
    game: str | None = None,
    tournament: str | None = None,
    shown_until_ms: int | None = None,
) -> list[RecentResult]:
    """The last matches that were played out and have a replay, the latest first.

    Those whose results are hidden, and annulled ones, are not among them; nor are tournaments that
    keep some of their matches back.
    """
    matches, tournaments = schema.matches, schema.tournaments
    question = (
        sa.select(matches.c.id)
        .select_from(with_tournament(matches.join(schema.replays)))
        .where(
            matches.c.reason == "finished",
            is_public(shown_until_ms),
            counts(),
            *untold_draws(connection),
            tournaments.c.id.is_(None) | tournaments.c.id.not_in(keeping_back(connection)),
        )
        .order_by(matches.c.id.desc())
        .limit(RECENT)
    )
    if game is not None:
        question = question.where(matches.c.game == game)
    if tournament is not None:
        question = question.where(tournaments.c.name == tournament)
    ids = list(connection.scalars(question))
    if not ids:
        return []
    rows = connection.execute(match_question().where(matches.c.id.in_(ids))).all()
    found = {row.id: one for row, one in zip(rows, match_rows(connection, rows), strict=True)}
    ratings, systems = _ratings(connection, ids)
    return [
        RecentResult(
            found[number],
            tuple(ratings.get((number, seat)) for seat in range(len(found[number].seats))),
            systems.get(number),
        )
        for number in ids
    ]


def _ratings(
    connection: sa.Connection, ids: list[int]
) -> tuple[dict[tuple[int, int], float], dict[int, str]]:
    table = schema.rating_changes.c
    rows = connection.execute(
        sa.select(table.match_id, table.seat, table.before, table.system).where(
            table.match_id.in_(ids)
        )
    ).all()
    before = {(row.match_id, row.seat): row.before for row in rows}
    return before, {row.match_id: row.system for row in rows}
