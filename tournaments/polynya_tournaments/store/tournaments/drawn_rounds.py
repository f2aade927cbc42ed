"""The rounds of a tournament in the database: what was drawn and played, and what is drawn next."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.errors import StoreError
from polynya_tournaments.pairing.formats import Entrant, PlayedBlock, format_of
from polynya_tournaments.pairing.schedule import Pairing
from polynya_tournaments.pairing.standings import (
    ABSENT,
    NOT_READY,
    WITHDRAWN,
    MatchResult,
    Walkover,
)
from polynya_tournaments.store import schema
from polynya_tournaments.store.bots.registered_bots import bot_ids
from polynya_tournaments.store.ratings import rating_order
from polynya_tournaments.text import listed

WALKOVER = "walkover"
_AT_A_TIME = 500


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

    @property
    def rules(self) -> int:
        """Those that the tournament was drawn up by."""
        return rules_of(self.description)

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
        """The round that is played: the last that was drawn, or the next if that is decided."""
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
        """How many were drawn: each has as many matches as bots."""
        return self.last_number // int(self.description["players"])

    @property
    def undrawn(self) -> int:
        """How many matches of the schedule have not been drawn yet, as far as this is known."""
        blocks = format_of(self.description, self.entrants).undrawn(self.blocks)
        return blocks * int(self.description["players"])


def outline(connection: sa.Connection, tournament: Any) -> Outline:
    """What can be said of a tournament (a row of its table) without reading its matches."""
    pairings = schema.pairings.c
    of_it = pairings.tournament_id == tournament.id
    undecided = sa.exists().where(of_it, pairings.state.in_(("open", "abandoned")))
    return Outline(
        description=json.loads(tournament.configuration),
        entrants=entrants(connection, tournament.id),
        last_number=connection.scalar(sa.select(sa.func.max(pairings.number)).where(of_it)) or 0,
        undecided=bool(connection.scalar(sa.select(undecided))),
    )


def rules_of(description: Mapping[str, Any]) -> int:
    """The rules that are recorded in what determines a tournament's matches."""
    return int(description.get("rules", 1))


def recorded(connection: sa.Connection, tournament: Any) -> Recorded:
    """The state of a tournament (a row of its table) as far as drawing looks at it."""
    pairings = schema.pairings.c
    rows = connection.execute(
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
        sa.select(
            schema.bots.c.name,
            table.c.rating,
            table.c.withdrawn,
            table.c.withdrawn_after,
            table.c.entered,
            table.c.entered_after,
            table.c.missed,
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
            tuple(row.name for row in seated if row.forfeit == NOT_READY),
        )
    return found


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


def withdraw(connection: sa.Connection, tournament_id: int, names: Sequence[str]) -> list[str]:
    """Let bots play no more, all at the same moment; the names of those that had not withdrawn.

    Their matches without a result are walkovers. They have withdrawn from the round that is
    played, or from the next one if every match of it is decided. When the tournament is over a
    bot cannot leave it any more: it keeps its place.
    """
    if not names:
        return []
    tournament = _row(connection, tournament_id)
    found = recorded(connection, tournament)
    playing = {one.name for one in found.entrants if one.withdrawn is None}
    leaving = [name for name in dict.fromkeys(names) if name in playing]
    if not leaving or (found.rules > 1 and found.over):
        return []
    if found.rules == 1:
        for name in leaving:
            _withdraw_by_rules_1(connection, tournament_id, name)
    else:
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


def _row(connection: sa.Connection, tournament_id: int) -> Any:
    table = schema.tournaments
    return connection.execute(sa.select(table).where(table.c.id == tournament_id)).one()


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
        .where(pairings.tournament_id == tournament_id, pairings.state.in_(("open", "abandoned")))
        .order_by(pairings.number)
    ).all()


def walk_over(
    connection: sa.Connection,
    tournament_id: int,
    missed: Sequence[tuple[int, Mapping[str, str]]],
    why: str = "",
) -> None:
    """Record that matches are decided without being played, because bots missed them.

    A match that has a result by now keeps it. Nothing of it is rated. A tournament of rules 1
    knows walkovers only of bots that have withdrawn; there the matches are given up.

    Args:
        connection: in a transaction.
        tournament_id: whose matches.
        missed: the id of each pairing, and the bots that missed it, each with the reason.
        why: the same in a sentence, where there is more to say of it.
    """
    if not missed:
        return
    by_rules_1 = rules_of(json.loads(_row(connection, tournament_id).configuration)) == 1
    pairings = schema.pairings
    connection.execute(
        sa.update(pairings)
        .where(
            pairings.c.id == sa.bindparam("pairing"),
            # Not in_(): one statement for many rows takes no list.
            sa.or_(pairings.c.state == "open", pairings.c.state == "abandoned"),
        )
        .values(
            state="abandoned" if by_rules_1 else WALKOVER,
            missing=sa.bindparam("who", type_=pairings.c.missing.type),
            detail=sa.bindparam("why"),
        ),
        [
            {
                "pairing": number,
                "who": None if by_rules_1 else dict(missing),
                "why": why or why_missed(missing),
            }
            for number, missing in missed
        ],
    )
    rating_order.rate_waiting(connection, tournament_id)


_MISSED = {WITHDRAWN: "has withdrawn", ABSENT: "was absent", NOT_READY: "was not ready"}


def why_missed(missing: Mapping[str, str]) -> str:
    """Why a match was not played, a sentence."""
    return " and ".join(f"bot {name} {_MISSED[why]}" for name, why in sorted(missing.items()))


_MISSED_BY_SEVERAL = {
    WITHDRAWN: "have withdrawn",
    ABSENT: "were absent",
    NOT_READY: "were not ready",
}


def all_missing(matches: Iterable[Mapping[str, str]]) -> str:
    """Why matches were not played that several bots missed, in one sentence for all of them."""
    names: dict[str, set[str]] = {reason: set() for reason in _MISSED}
    for missing in matches:
        for name, reason in missing.items():
            names[reason].add(name)
    return "; ".join(
        f"{listed(sorted(names[reason]))} {_MISSED_BY_SEVERAL[reason]}"
        if len(names[reason]) > 1
        else f"{min(names[reason])} {_MISSED[reason]}"
        for reason in _MISSED
        if names[reason]
    )


def _withdraw_by_rules_1(connection: sa.Connection, tournament_id: int, name: str) -> None:
    """It has withdrawn from the first round in which it has a match to play, else the next one."""
    table, number = schema.entrants, bot_ids(connection, [name])[name]
    pairings = schema.pairings.c
    rows = connection.execute(
        sa.select(pairings.id, pairings.block, pairings.players, pairings.state)
        .where(pairings.tournament_id == tournament_id)
        .order_by(pairings.number)
    ).all()
    left = [r for r in rows if name in r.players and r.state in ("open", "abandoned")]
    rounds = [PlayedBlock(row.block, ()).round for row in rows]
    since = min((PlayedBlock(row.block, ()).round for row in left), default=max(rounds) + 1)
    connection.execute(
        sa.update(table)
        .where(table.c.tournament_id == tournament_id, table.c.bot_id == number)
        .values(withdrawn=since)
    )
    connection.execute(
        sa.update(schema.pairings)
        .where(pairings.id.in_([row.id for row in left]))
        .values(state=WALKOVER, detail=why_missed({name: WITHDRAWN}))
    )
