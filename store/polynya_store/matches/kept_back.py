"""Keeps the whole of a match with hidden parts back until its round or its tournament is over.

Until then only results are shown: the cards and steps would tell how the bots will play. The
database decides when it is over: a match without a result, or in play, keeps its round open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.formats import Block
from polynya_store import schema
from polynya_store.statements import tournament_row
from polynya_store.tournaments.open_pairings import UNDECIDED
from polynya_store.tournaments.tournament_table import is_complete


def matches_kept_back(connection: sa.Connection, rows: Sequence[Any]) -> set[int]:
    """The ids of matches that may not be seen whole yet, of rows of ``match_question``."""
    keeping = [row for row in rows if row.reveal not in (None, "match")]
    names = {row.tournament for row in keeping}
    first = {name: first_kept_round(connection, tournament_row(connection, name)) for name in names}
    return {row.id for row in keeping if _is_kept(row.block, first[row.tournament])}


def keeping_back(connection: sa.Connection) -> list[int]:
    """The ids of the tournaments in which some match may not be seen whole yet."""
    table = schema.tournaments
    later = connection.execute(sa.select(table).where(table.c.reveal != "match"))
    return [one.id for one in later.all() if first_kept_round(connection, one) is not None]


def first_kept_round(connection: sa.Connection, tournament: Any) -> int | None:
    """From which round on matches are kept back, of a row of the tournaments' table.

    None for no round. A round is over when it and those before it are: rounds are drawn in turn.
    """
    if tournament.reveal == "match":
        return None
    unfinished = _unfinished_rounds(connection, tournament.id)
    if tournament.reveal == "round":
        return min(unfinished, default=None)
    return 1 if unfinished or not is_complete(connection, tournament.name) else None


def _is_kept(block: str, first: int | None) -> bool:
    return first is not None and Block(block, ()).round >= first


def _unfinished_rounds(connection: sa.Connection, tournament_id: int) -> set[int]:
    """Rounds with a match that may still get a result, or that is in play."""
    pairings, matches = schema.pairings, schema.matches
    in_play = sa.exists().where(matches.c.pairing_id == pairings.c.id, matches.c.reason.is_(None))
    blocks = connection.scalars(
        sa.select(pairings.c.block)
        .where(
            pairings.c.tournament_id == tournament_id,
            sa.or_(pairings.c.state.in_(UNDECIDED), in_play),
        )
        .distinct()
    )
    return {Block(block, ()).round for block in blocks}
