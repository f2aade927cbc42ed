"""Counts results of tournaments in the database, by match and by block."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.standings import NOT_READY, MatchResult, Walkover
from polynya_store import schema
from polynya_store.tournaments.open_pairings import ABANDONED, HELD, WALKOVER

MOST_NUMBER = 2**31 - 1
"""The largest number of a match."""


def state_counts(
    connection: sa.Connection, tournament_id: int | None = None, last: int = MOST_NUMBER
) -> Mapping[int, Counter[str]]:
    """How many matches up to ``last`` there are of each state, by tournament; of one, or all."""
    pairings = schema.pairings.c
    question = sa.select(pairings.tournament_id, pairings.state, sa.func.count().label("number"))
    if tournament_id is not None:
        question = question.where(pairings.tournament_id == tournament_id, pairings.number <= last)
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for row in connection.execute(question.group_by(pairings.tournament_id, pairings.state)):
        counts[row.tournament_id][row.state] = row.number
    return counts


def counted_results(
    connection: sa.Connection, tournament_id: int, players: int, hidden_since: int | None = None
) -> Counter[MatchResult]:
    """Each different result, with how often it occurred; ``players`` is the number of seats.

    Matches that began from ``hidden_since`` on are left out, ms since 1970.
    """
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
        .where(
            pairings.c.tournament_id == tournament_id,
            columns[1].is_not(None),
            *shown(hidden_since),
        )
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


def shown(hidden_since: int | None) -> list[sa.ColumnElement[bool]]:
    """Condition that a match may be shown: it began before this time."""
    return [] if hidden_since is None else [schema.matches.c.started_ms < hidden_since]


def last_shown(connection: sa.Connection, tournament_id: int, hidden_since: int | None) -> int:
    """The number of the last match whose result may be shown.

    What became of later ones may not be told: a walkover has no time.
    """
    if hidden_since is None:
        return MOST_NUMBER
    pairings, matches = schema.pairings, schema.matches
    found = connection.scalar(
        sa.select(sa.func.max(pairings.c.number))
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == tournament_id, *shown(hidden_since))
    )
    return found or 0


def counted_walkovers(
    connection: sa.Connection, tournament_id: int, last: int = MOST_NUMBER
) -> list[tuple[Walkover, int]]:
    """Each different walkover up to the match ``last``, with how often it occurred."""
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.players, pairings.missing, sa.func.count())
        .where(
            pairings.tournament_id == tournament_id,
            pairings.missing.is_not(None),
            pairings.number <= last,
        )
        .group_by(pairings.players, pairings.missing)
    )
    return [(Walkover(tuple(players), missing), number) for players, missing, number in rows]


def counted_unplayed(
    connection: sa.Connection, tournament_id: int, last: int = MOST_NUMBER
) -> list[tuple[str | None, Mapping[str, str] | None, int]]:
    """Why matches were not played, the bots that missed them, and how many they are; in order."""
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.detail, pairings.missing, sa.func.count())
        .where(
            pairings.tournament_id == tournament_id,
            pairings.state.in_((ABANDONED, HELD, WALKOVER)),
            pairings.number <= last,
        )
        .group_by(pairings.detail, pairings.missing)
        .order_by(sa.func.min(pairings.number))
    )
    return [(detail, missing, number) for detail, missing, number in rows]


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
        """The share of the possible points, 0 to 1."""
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
