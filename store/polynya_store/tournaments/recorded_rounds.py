"""Reads a tournament's rounds: drawn blocks with their results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.formats import (
    Block,
    Entrant,
    PlayedBlock,
    format_of,
)
from polynya_contest.pairing.standings import (
    NOT_READY,
    MatchResult,
    Walkover,
)
from polynya_store import schema
from polynya_store.tournaments.counted_results import (
    MOST_NUMBER,
    last_shown,
    shown,
)
from polynya_store.tournaments.open_pairings import DROPPED, UNDECIDED


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record from which a format draws the next round.

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

    @property
    def undrawn(self) -> int:
        """How many matches of the schedule have not been drawn yet, as far as this is known."""
        blocks = format_of(self.description, self.entrants).undrawn(len(self.blocks))
        return blocks * int(self.description["players"])

    @property
    def over(self) -> bool:
        """Whether everything is decided, and nothing more is drawn."""
        drawn = format_of(self.description, self.entrants)
        return not self.undecided and not drawn.next_blocks(self.blocks)

    @property
    def round(self) -> int:
        """The round in play: the last drawn one, or the next if that is decided."""
        drawn = max((block.round for block in self.blocks), default=0)
        return drawn if self.undecided else drawn + 1


@dataclass(frozen=True, slots=True)
class Outline:
    """A tournament without what was drawn of it.

    Attributes:
        description, entrants: as in :class:`Recorded`.
        last_number: of the last match that was drawn.
        undecided: whether one of the matches has no result and may still get one.
    """

    description: dict[str, Any]
    entrants: tuple[Entrant, ...]
    last_number: int
    undecided: bool

    @property
    def blocks(self) -> int:
        """The number of drawn blocks: each has as many matches as bots."""
        return self.last_number // int(self.description["players"])

    @property
    def undrawn(self) -> int:
        """How many matches of the schedule have not been drawn yet, as far as this is known."""
        blocks = format_of(self.description, self.entrants).undrawn(self.blocks)
        return blocks * int(self.description["players"])

    @property
    def counts_results(self) -> bool:
        """Whether the format only counts results: all that it draws follows from none."""
        return format_of(self.description, self.entrants).counts_results


def outline(connection: sa.Connection, tournament: Any) -> Outline:
    """The outline of a tournament (a row of its table), without reading its matches."""
    pairings = schema.pairings.c
    of_it = pairings.tournament_id == tournament.id
    undecided = sa.exists().where(of_it, pairings.state.in_(UNDECIDED))
    return Outline(
        description=json.loads(tournament.configuration),
        entrants=entrants(connection, tournament.id),
        last_number=connection.scalar(sa.select(sa.func.max(pairings.number)).where(of_it)) or 0,
        undecided=bool(connection.scalar(sa.select(undecided))),
    )


def recorded(
    connection: sa.Connection, tournament: Any, hidden_since: int | None = None
) -> Recorded:
    """The state of a tournament (a row of its table) that drawing needs.

    With ``hidden_since`` (ms since 1970) matches that began from then on have no results, and
    there are no rounds that follow from those.
    """
    pairings = schema.pairings.c
    rows: Sequence[Any] = connection.execute(
        sa.select(
            pairings.id,
            pairings.number,
            pairings.block,
            pairings.players,
            pairings.state,
            pairings.missing,
        )
        .where(pairings.tournament_id == tournament.id)
        .order_by(pairings.number)
    ).all()
    results = _results(connection, tournament.id, hidden_since)
    undecided = sum(row.state in UNDECIDED for row in rows)
    if hidden_since is not None:
        last = last_shown(connection, tournament.id, hidden_since)
        last_round = last_drawn_round(connection, tournament, hidden_since)
        rows = [row for row in rows if Block(row.block, ()).round <= last_round]
        known = {row.id for row in rows if row.missing and row.number <= last} | results.keys()
        undecided = sum(row.state != DROPPED and row.id not in known for row in rows)
        rows = [row if row.id in known else _Hidden(row) for row in rows]
    return Recorded(
        description=json.loads(tournament.configuration),
        entrants=entrants(connection, tournament.id),
        blocks=tuple(_blocks(rows, results)),
        undecided=undecided,
        last_number=rows[-1].number if rows else 0,
    )


class _Hidden:
    """A pairing whose result is hidden."""

    missing = None

    def __init__(self, row: Any) -> None:
        self.id, self.number, self.block, self.players = row.id, row.number, row.block, row.players


def last_drawn_round(connection: sa.Connection, tournament: Any, hidden_since: int) -> int:
    """The last round whose drawing reveals no result of a match that began from then on.

    That is the first round with such a match; of a format that only counts results, the last.
    """
    pairings, matches = schema.pairings, schema.matches
    if outline(connection, tournament).counts_results:
        return MOST_NUMBER
    blocks = connection.scalars(
        sa.select(pairings.c.block)
        .distinct()
        .select_from(pairings.join(matches))
        .where(pairings.c.tournament_id == tournament.id, matches.c.started_ms >= hidden_since)
    )
    return min((Block(block, ()).round for block in blocks), default=MOST_NUMBER)


def entrants(connection: sa.Connection, tournament_id: int) -> tuple[Entrant, ...]:
    """The bots that take part, in the order of the seeding."""
    table = schema.entrants
    rows = connection.execute(
        sa.select(
            schema.bots.c.name,
            table.c.rating,
            table.c.withdrawn,
            table.c.withdrawn_after,
            table.c.entered,
            table.c.entered_after,
            table.c.missed,
            table.c.entered_ms,
            table.c.withdrawn_ms,
        )
        .select_from(table.join(schema.bots))
        .where(table.c.tournament_id == tournament_id)
        .order_by(table.c.number)
    )
    return tuple(Entrant(*row) for row in rows)


def _blocks(rows: Sequence[Any], results: dict[int, MatchResult]) -> Iterator[PlayedBlock]:
    for block, matches in groupby(rows, key=lambda row: row.block):
        drawn = list(matches)
        found = tuple(results[row.id] for row in drawn if row.id in results)
        missed = tuple(Walkover(tuple(row.players), row.missing) for row in drawn if row.missing)
        yield PlayedBlock(block, tuple(drawn[0].players), found, missed)


def _results(
    connection: sa.Connection, tournament_id: int, hidden_since: int | None
) -> dict[int, MatchResult]:
    """The results by the pairing's id, in the order in which the matches were begun."""
    matches, pairings, seats = schema.matches, schema.pairings, schema.seats
    rows = connection.execute(
        sa.select(matches.c.pairing_id, schema.bots.c.name, seats.c.rank, seats.c.forfeit)
        .select_from(pairings.join(matches).join(seats).join(schema.bots))
        .where(
            pairings.c.tournament_id == tournament_id,
            seats.c.rank.is_not(None),
            *shown(hidden_since),
        )
        .order_by(matches.c.id, seats.c.seat)
    )
    found: dict[int, MatchResult] = {}
    for pairing_id, by_seat in groupby(rows, key=lambda row: row.pairing_id):
        seated = list(by_seat)
        found[pairing_id] = MatchResult(
            tuple(row.name for row in seated),
            tuple(row.rank for row in seated),
            tuple(row.forfeit is not None for row in seated),
            tuple(row.name for row in seated if row.forfeit == NOT_READY),
        )
    return found
