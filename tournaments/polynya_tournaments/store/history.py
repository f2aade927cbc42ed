"""How ratings went in a tournament: each seat's before and after every match that was rated."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import sqlalchemy as sa

from polynya_tournaments.store import schema


@dataclass(frozen=True, slots=True)
class Step:
    """What a match did to the online rating of one seat's bot.

    Attributes:
        before, after: the rating, in Elo.
        games: how many rated matches the bot had before it, in this game with so many players,
            those outside this tournament too.
    """

    before: float
    after: float
    games: int


def rating_steps(connection: sa.Connection, tournament: str) -> dict[str, tuple[Step, ...]]:
    """By match the steps of its seats; matches that are not rated (yet) are left out."""
    changes, matches, pairings = schema.rating_changes.c, schema.matches, schema.pairings
    pool = (changes.bot_id, changes.game, changes.players)
    earlier = sa.func.row_number().over(partition_by=pool, order_by=changes.id) - 1
    numbered = sa.select(
        changes.match_id, changes.seat, changes.before, changes.after, earlier.label("games")
    ).subquery()
    rows = connection.execute(
        sa.select(matches.c.name, numbered.c.before, numbered.c.after, numbered.c.games)
        .select_from(matches.join(numbered, numbered.c.match_id == matches.c.id))
        .join(pairings, pairings.c.id == matches.c.pairing_id)
        .join(schema.tournaments, schema.tournaments.c.id == pairings.c.tournament_id)
        .where(schema.tournaments.c.name == tournament)
        .order_by(matches.c.id, numbered.c.seat)
    )
    by_match: dict[str, list[Step]] = defaultdict(list)
    for name, before, after, games in rows:
        by_match[name].append(Step(before, after, games))
    return {name: tuple(steps) for name, steps in by_match.items()}
