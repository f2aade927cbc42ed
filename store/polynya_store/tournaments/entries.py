"""Entrants and matches that are recorded: first ones, late entries, and withdrawals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_common.text import join_words
from polynya_contest.pairing.formats import Entrant, format_of
from polynya_contest.pairing.formats.formats_by_name import SETTINGS
from polynya_contest.pairing.schedule import Pairing
from polynya_contest.pairing.standings import WITHDRAWN
from polynya_store import schema
from polynya_store.bots.registered_bots import bot_ids
from polynya_store.ratings import rating_order
from polynya_store.statements import tournament_by_id
from polynya_store.tournaments.open_pairings import (
    UNDECIDED,
    WALKOVER,
    walk_over,
    why_missed,
)
from polynya_store.tournaments.recorded_rounds import Recorded, entrants, recorded

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


MISSED = {"zero": 0.0, "half": 0.5}
"""The points of a late entrant for each round before it entered, by the word for them."""


def enter(
    connection: sa.Connection, tournament_id: int, given: Sequence[Entrant], late_entry: str
) -> None:
    """Let those of the given bots enter that are not entrants yet.

    They enter the next round that is drawn; those that have withdrawn at once do not enter.

    Raises:
        StoreError: the tournament takes no more bots; the message says why.
    """
    row = tournament_by_id(connection, tournament_id)
    known = {one.name for one in entrants(connection, tournament_id)}
    late = [one for one in given if one.name not in known and one.withdrawn is None]
    if not late:
        return
    found = recorded(connection, row)
    number = max((block.round for block in found.blocks), default=0) + 1
    if why := _refusal(found, number):
        names = join_words([one.name for one in late])
        raise StoreError(f"tournament {row.name} takes no late entry of {names}: {why}")
    add_entrants(
        connection,
        tournament_id,
        [
            replace(
                one,
                entered=number,
                entered_after=found.last_number,
                missed=MISSED[late_entry],
            )
            for one in late
        ],
    )


def _refusal(found: Recorded, number: int) -> str:
    description = found.description
    chosen = description["format"]
    settings = msgspec.convert(description.get(chosen, {}), SETTINGS[chosen])
    if why := settings.refuses_late_entry(number):
        return why
    drawn = format_of(description, found.entrants)
    if not found.undecided and not drawn.next_blocks(found.blocks):
        return "it is over"
    return ""


def withdraw(connection: sa.Connection, tournament_id: int, names: Sequence[str]) -> list[str]:
    """Let bots play no more, all at the same moment; the names of those that had not withdrawn.

    Their matches without a result are walkovers. They have withdrawn from the round that is
    played, or from the next one if every match of it is decided. When the tournament is over a
    bot cannot leave it any more: it keeps its place.
    """
    if not names:
        return []
    tournament = tournament_by_id(connection, tournament_id)
    found = recorded(connection, tournament)
    playing = {one.name for one in found.entrants if one.withdrawn is None}
    leaving = [name for name in dict.fromkeys(names) if name in playing]
    if not leaving or found.over:
        return []
    _mark_withdrawn(connection, tournament_id, leaving, found)
    gone = {one.name for one in found.entrants} - playing | set(leaving)
    walk_over(
        connection,
        tournament_id,
        [
            (row.id, {name: WITHDRAWN for name in row.players if name in gone})
            for row in _undecided(connection, tournament_id)
            if not gone.isdisjoint(row.players)
        ],
    )
    rating_order.rate_waiting(connection, tournament_id)
    return leaving


def _mark_withdrawn(
    connection: sa.Connection, tournament_id: int, names: Sequence[str], found: Recorded
) -> None:
    table, ids = schema.entrants, bot_ids(connection, names)
    connection.execute(
        sa.update(table)
        .where(table.c.tournament_id == tournament_id, table.c.bot_id.in_(list(ids.values())))
        .values(withdrawn=found.round, withdrawn_after=found.last_number)
    )


def _undecided(connection: sa.Connection, tournament_id: int) -> Sequence[Any]:
    pairings = schema.pairings.c
    return connection.execute(
        sa.select(pairings.id, pairings.block, pairings.players)
        .where(pairings.tournament_id == tournament_id, pairings.state.in_(UNDECIDED))
        .order_by(pairings.number)
    ).all()
