"""The scores of bots in the blocks of a tournament, counted by the database: it takes no memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from polynya_store import schema


@dataclass(frozen=True, slots=True)
class BlockScore:
    """The score of a bot in a block, as far as its matches have results.

    Attributes:
        points: opponents left behind, a tie counting 1/2.
        comparisons: opponents, summed over the matches.
        complete: whether all matches of the block have results.
    """

    points: float
    comparisons: int
    complete: bool

    @property
    def share(self) -> float:
        """Of the points that it could have scored, 0 to 1."""
        return self.points / self.comparisons


def block_scores(
    connection: sa.Connection, tournament_id: int, players: int
) -> Mapping[str, Counter[BlockScore]]:
    """Each different score of each bot, with how often it occurred; walkovers are no part of it.

    Args:
        connection: a transaction.
        tournament_id: the tournament.
        players: of a match; a block has as many matches.
    """
    pairings, matches = schema.pairings, schema.matches
    own, other = schema.seats.alias("own"), schema.seats.alias("other")
    opponents = sa.and_(other.c.match_id == own.c.match_id, other.c.seat != own.c.seat)
    halves = sa.case((own.c.rank < other.c.rank, 2), (own.c.rank == other.c.rank, 1), else_=0)
    by_block = (
        sa.select(own.c.bot_id, sa.func.sum(halves).label("halves"), sa.func.count().label("count"))
        .select_from(
            pairings.join(matches).join(own, own.c.match_id == matches.c.id).join(other, opponents)
        )
        .where(pairings.c.tournament_id == tournament_id, own.c.rank.is_not(None))
        .group_by(pairings.c.block, own.c.bot_id)
        .subquery()
    )
    each = (schema.bots.c.name, by_block.c.halves, by_block.c.count)
    rows = connection.execute(
        sa.select(*each, sa.func.count())
        .select_from(by_block.join(schema.bots, schema.bots.c.id == by_block.c.bot_id))
        .group_by(*each)
    )
    scores: dict[str, Counter[BlockScore]] = defaultdict(Counter)
    for name, points, comparisons, number in rows:
        complete = comparisons == players * (players - 1)
        scores[name][BlockScore(points / 2, comparisons, complete)] = number
    return scores
