"""Entrants and matches of a tournament, recorded before anything of them is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_contest.pairing.formats import Entrant
from polynya_contest.pairing.schedule import Pairing
from polynya_contest.pairing.standings import (
    WITHDRAWN,
)
from polynya_store import schema
from polynya_store.bots.registered_bots import bot_ids
from polynya_store.tournaments.pairing_states import (
    WALKOVER,
)
from polynya_store.tournaments.recorded_rounds import entrants
from polynya_store.tournaments.walkovers import why_missed

_AT_A_TIME = 500


def add_entrants(connection: sa.Connection, tournament_id: int, drawn: Sequence[Entrant]) -> None:
    """Record who takes part, behind those that are recorded, in the order of the seeding."""
    if not drawn:
        return
    table = schema.entrants.c
    last = connection.scalar(
        sa.select(sa.func.max(table.number)).where(table.tournament_id == tournament_id)
    )
    ids = bot_ids(connection, (entrant.name for entrant in drawn))
    connection.execute(
        sa.insert(schema.entrants),
        [
            {
                "tournament_id": tournament_id,
                "bot_id": ids[entrant.name],
                "number": number,
                "rating": entrant.rating,
                "withdrawn": entrant.withdrawn,
                "withdrawn_after": entrant.withdrawn_after,
                "entered": entrant.entered,
                "entered_after": entrant.entered_after,
                "missed": entrant.missed,
            }
            for number, entrant in enumerate(drawn, start=(last or 0) + 1)
        ],
    )


def add_pairings(
    connection: sa.Connection, tournament_id: int, pairings: Sequence[Pairing]
) -> None:
    """Record matches before they are played; those of bots that have withdrawn are walkovers.

    Raises:
        StoreError: a block is drawn a second time, which would go on for ever.
    """
    if not pairings:
        return
    _refuse_second_draw(connection, tournament_id, {pairing.block for pairing in pairings})
    gone = {one.name for one in entrants(connection, tournament_id) if one.withdrawn is not None}
    connection.execute(
        sa.insert(schema.pairings),
        [_pairing_values(tournament_id, pairing, gone) for pairing in pairings],
    )


def _refuse_second_draw(connection: sa.Connection, tournament_id: int, blocks: set[str]) -> None:
    column = schema.pairings.c
    keys, again = sorted(blocks), list[str]()
    for first in range(0, len(keys), _AT_A_TIME):
        some = column.block.in_(keys[first : first + _AT_A_TIME])
        of_them = sa.and_(column.tournament_id == tournament_id, some)
        again += connection.scalars(sa.select(column.block).where(of_them).limit(1))
    if again:
        raise StoreError(
            f"block {again[0]} has been drawn before, so the tournament would never end; "
            "this is an error in its format, please report it"
        )


def _pairing_values(tournament_id: int, pairing: Pairing, gone: set[str]) -> dict[str, Any]:
    missing = {name: WITHDRAWN for name in pairing.players if name in gone}
    return {
        "tournament_id": tournament_id,
        "number": pairing.number,
        "block": pairing.block,
        "players": list(pairing.players),
        "seed": str(pairing.seed),
        "state": WALKOVER if missing else "open",
        "missing": missing or None,
        "detail": why_missed(missing) if missing else None,
    }
