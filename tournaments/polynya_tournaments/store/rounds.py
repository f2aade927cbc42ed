"""The rounds of a tournament in the database: what was drawn and played, and what is drawn next."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.formats import Entrant, PlayedBlock
from polynya_tournaments.schedule import Pairing
from polynya_tournaments.standings import MatchResult
from polynya_tournaments.store import rating_order, schema
from polynya_tournaments.store.bots import bot_ids

WALKOVER = "walkover"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a format draws the next round from.

    Attributes:
        description: what determines the tournament's matches.
        entrants: in the order of the seeding.
        blocks: all that were drawn, in their order, with the results so far.
        undecided: matches without a result that may still get one.
        last_number: of the last match that was drawn.
    """

    description: dict[str, Any]
    entrants: tuple[Entrant, ...]
    blocks: tuple[PlayedBlock, ...]
    undecided: int
    last_number: int


def recorded(connection: sa.Connection, tournament: Any) -> Recorded:
    """The state of a tournament (a row of its table) as far as drawing looks at it."""
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.id, pairings.number, pairings.block, pairings.players, pairings.state)
        .where(pairings.tournament_id == tournament.id)
        .order_by(pairings.number)
    ).all()
    results = _results(connection, tournament.id)
    return Recorded(
        description=json.loads(tournament.configuration),
        entrants=entrants(connection, tournament.id),
        blocks=tuple(_blocks(rows, results)),
        undecided=sum(row.state in ("open", "abandoned") for row in rows),
        last_number=rows[-1].number if rows else 0,
    )


def entrants(connection: sa.Connection, tournament_id: int) -> tuple[Entrant, ...]:
    """Who takes part, in the order of the seeding."""
    table = schema.entrants
    rows = connection.execute(
        sa.select(schema.bots.c.name, table.c.rating, table.c.withdrawn)
        .select_from(table.join(schema.bots))
        .where(table.c.tournament_id == tournament_id)
        .order_by(table.c.number)
    )
    return tuple(Entrant(row.name, row.rating, row.withdrawn) for row in rows)


def _blocks(rows: Sequence[Any], results: dict[int, MatchResult]) -> Iterator[PlayedBlock]:
    for block, matches in groupby(rows, key=lambda row: row.block):
        drawn = list(matches)
        found = tuple(results[row.id] for row in drawn if row.id in results)
        yield PlayedBlock(block, tuple(drawn[0].players), found)


def _results(connection: sa.Connection, tournament_id: int) -> dict[int, MatchResult]:
    """The results by the pairing's id, in the order in which the matches were begun."""
    matches, pairings, seats = schema.matches, schema.pairings, schema.seats
    rows = connection.execute(
        sa.select(matches.c.pairing_id, schema.bots.c.name, seats.c.rank, seats.c.forfeit)
        .select_from(pairings.join(matches).join(seats).join(schema.bots))
        .where(pairings.c.tournament_id == tournament_id, seats.c.rank.is_not(None))
        .order_by(matches.c.id, seats.c.seat)
    )
    found: dict[int, MatchResult] = {}
    for pairing_id, by_seat in groupby(rows, key=lambda row: row.pairing_id):
        seated = list(by_seat)
        found[pairing_id] = MatchResult(
            tuple(row.name for row in seated),
            tuple(row.rank for row in seated),
            tuple(row.forfeit is not None for row in seated),
        )
    return found


def add_entrants(connection: sa.Connection, tournament_id: int, drawn: Sequence[Entrant]) -> None:
    """Record who takes part, in the order of the seeding."""
    ids = bot_ids(connection, (entrant.name for entrant in drawn))
    connection.execute(
        sa.insert(schema.entrants),
        [
            {
                "tournament_id": tournament_id,
                "bot_id": ids[entrant.name],
                "number": number,
                "rating": entrant.rating,
            }
            for number, entrant in enumerate(drawn, start=1)
        ],
    )


def add_pairings(
    connection: sa.Connection, tournament_id: int, pairings: Sequence[Pairing]
) -> None:
    """Record matches before they are played."""
    connection.execute(
        sa.insert(schema.pairings),
        [
            {
                "tournament_id": tournament_id,
                "number": pairing.number,
                "block": pairing.block,
                "players": list(pairing.players),
                "seed": str(pairing.seed),
                "state": "open",
            }
            for pairing in pairings
        ],
    )


def withdraw(connection: sa.Connection, tournament_id: int, name: str) -> bool:
    """Let a bot play no more: its matches without a result are walkovers; False if it was done.

    It has withdrawn from the first round in which it has such a match, else from the next one.
    """
    table = schema.entrants
    number = bot_ids(connection, [name])[name]
    which = sa.and_(table.c.tournament_id == tournament_id, table.c.bot_id == number)
    if connection.scalar(sa.select(table.c.withdrawn).where(which)) is not None:
        return False
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.id, pairings.block, pairings.players, pairings.state)
        .where(pairings.tournament_id == tournament_id)
        .order_by(pairings.number)
    ).all()
    left = [r for r in rows if name in r.players and r.state in ("open", "abandoned")]
    rounds = [PlayedBlock(row.block, ()).round for row in rows]
    since = min((PlayedBlock(row.block, ()).round for row in left), default=max(rounds) + 1)
    connection.execute(sa.update(table).where(which).values(withdrawn=since))
    connection.execute(
        sa.update(schema.pairings)
        .where(pairings.id.in_([row.id for row in left]))
        .values(state=WALKOVER, detail=f"bot {name} has withdrawn")
    )
    rating_order.rate_waiting(connection, tournament_id)
    return True
