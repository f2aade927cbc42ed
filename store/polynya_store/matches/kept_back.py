"""Keeps the whole of a match with hidden parts back until its round or its tournament is over.

Until then only results are shown: the cards and steps would tell how the bots will play. With
duplicate deals a match is kept back until all of its block are over, as they have its deal, and
no spectator sees it in play. The database decides when it is over: a match without a result, or in
play, keeps its round and its block open.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.formats import Block
from polynya_store import schema
from polynya_store.statements import tournament_row
from polynya_store.tournaments.open_pairings import UNDECIDED
from polynya_store.tournaments.tournament_table import is_complete


def matches_kept_back(connection: sa.Connection, rows: Sequence[Any]) -> tuple[set[int], set[int]]:
    """The ids of matches that may not be seen whole yet, and of those not even to be watched.

    Args:
        connection: to read from.
        rows: of ``match_question``.
    """
    keeping = [row for row in rows if row.reveal not in (None, "match")]
    names = {row.tournament for row in keeping}
    first = {name: first_kept_round(connection, tournament_row(connection, name)) for name in names}
    kept = {row.id for row in keeping if _is_kept(row.block, first[row.tournament])}
    closed = _with_closed_deals(connection, rows)
    return kept | closed, closed


def _with_closed_deals(connection: sa.Connection, rows: Sequence[Any]) -> set[int]:
    """The ids of matches with a duplicate deal that another match has yet to end with."""
    dealt = [row for row in rows if row.duplicate]
    keys = {row.block for row in dealt}
    open_blocks = {
        name: unfinished_blocks(connection, tournament_row(connection, name).id, keys)
        for name in {row.tournament for row in dealt}
    }
    return {row.id for row in dealt if row.block in open_blocks[row.tournament]}


def keeping_back(connection: sa.Connection) -> list[int]:
    """The ids of the tournaments in which some match may not be seen whole yet."""
    table = schema.tournaments
    later = connection.execute(
        sa.select(table).where(sa.or_(table.c.reveal != "match", table.c.duplicate))
    )
    return [one.id for one in later.all() if _keeps_back(connection, one)]


def _keeps_back(connection: sa.Connection, tournament: Any) -> bool:
    if first_kept_round(connection, tournament) is not None:
        return True
    return tournament.duplicate and bool(unfinished_blocks(connection, tournament.id))


def first_kept_round(connection: sa.Connection, tournament: Any) -> int | None:
    """From which round on matches are kept back, of a row of the tournaments' table.

    None for no round. A round is over when it and those before it are: rounds are drawn in turn.
    """
    if tournament.reveal == "match":
        return None
    unfinished = {Block(block, ()).round for block in unfinished_blocks(connection, tournament.id)}
    if tournament.reveal == "round":
        return min(unfinished, default=None)
    return 1 if unfinished or not is_complete(connection, tournament.name) else None


def _is_kept(block: str, first: int | None) -> bool:
    return first is not None and Block(block, ()).round >= first


def unfinished_blocks(
    connection: sa.Connection, tournament_id: int, keys: Collection[str] | None = None
) -> set[str]:
    """The keys of blocks with a match that may still get a result, or that is in play.

    Of all blocks of a tournament, or of those with these ``keys``.
    """
    pairings, matches = schema.pairings, schema.matches
    in_play = sa.exists().where(matches.c.pairing_id == pairings.c.id, matches.c.reason.is_(None))
    question = sa.select(pairings.c.block).where(
        pairings.c.tournament_id == tournament_id,
        sa.or_(pairings.c.state.in_(UNDECIDED), in_play),
    )
    if keys is not None:
        question = question.where(pairings.c.block.in_(keys))
    return set(connection.scalars(question.distinct()))
