"""Summaries of all matches of a ladder for its start: the bots' conduct, and their pasts.

Both are written in the transaction that records the beginning or the end of a match, so the start
of a server reads a row for each bot, however many matches these have played.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa

from polynya_contest import conduct as conduct_of_bots
from polynya_contest.conduct import Conduct, ConductEntry
from polynya_contest.pairing.pasts import BotPast
from polynya_contest.ratings.pool import Pool
from polynya_server.records import MatchRecord
from polynya_store import schema
from polynya_store.statements import CompiledRead, as_list, in_list, put_rows, update_rows
from polynya_store.visibility import counts

PREFIX = "ladder"
"""The ids of ladder matches begin with this."""

OF_LADDER = sa.and_(
    schema.matches.c.pairing_id.is_(None), schema.matches.c.name.startswith(f"{PREFIX}-")
)
"""Ladder matches; people's matches belong to no tournament either, but are excluded."""


class Ladder(NamedTuple):
    """A ladder's matches, under any rating system: a pool without it."""

    game: str
    players: int
    clock_class: str
    variant: str

    @classmethod
    def of(cls, pool: Pool) -> Ladder:
        """The ladder whose matches are rated in a pool."""
        return cls(pool.game, pool.players, pool.clock_class, pool.variant)


_PASTS = schema.pairing_pasts
_READ_PASTS = (
    sa.select(
        _PASTS.c.bot_id,
        schema.bots.c.name,
        _PASTS.c.games,
        _PASTS.c.last_match_id,
        _PASTS.c.seats,
        _PASTS.c.met,
    )
    .select_from(_PASTS.join(schema.bots))
    .where(*(_PASTS.c[key] == sa.bindparam(key) for key in Ladder._fields))
)
_ALL_PASTS = CompiledRead(_READ_PASTS)
_PASTS_OF_SOME = CompiledRead(_READ_PASTS.where(_PASTS.c.bot_id.in_(in_list("bots", sa.Integer()))))
_PUT_PASTS = put_rows(_PASTS, [*Ladder._fields, "bot_id"])
_CONDUCT = CompiledRead(
    sa.select(
        schema.bots.c.id, schema.bots.c.name, schema.bots.c.resumed_ms, schema.bots.c.conduct
    ).where(schema.bots.c.name.in_(in_list("names", sa.Text())))
)
_UPDATE_CONDUCT = update_rows(schema.bots, ["id"], ["conduct"])


def is_of_ladder(match: str, pairing_id: int | None) -> bool:
    """Whether a match (by its id) is a ladder's; as ``OF_LADDER``."""
    return pairing_id is None and match.startswith(f"{PREFIX}-")


class Begun(NamedTuple):
    """A ladder match that begins: its number in the database, its ladder, and its bots by seat."""

    number: int
    ladder: Ladder
    players: Sequence[str]


def note_begun(connection: sa.Connection, begun: Iterable[Begun], ids: Mapping[str, int]) -> None:
    """Record for pairing that ladder matches begin, in this order.

    Args:
        connection: in a transaction that writes.
        begun: the matches.
        ids: of their bots, by name.
    """
    by_ladder: dict[Ladder, list[Begun]] = defaultdict(list)
    for match in begun:
        by_ladder[match.ladder].append(match)
    for ladder, matches in by_ladder.items():
        playing = sorted({ids[name] for match in matches for name in match.players})
        rows = _PASTS_OF_SOME.rows(connection, **ladder._asdict(), bots=as_list(playing))
        known = {row.name: _past(row) for row in rows}
        for match in matches:
            _note(known, match)
        _write_pasts(connection, ladder, known, ids)


def _note(known: dict[str, BotPast], match: Begun) -> None:
    pasts = [known.setdefault(name, BotPast(name)) for name in match.players]
    for seat, past in enumerate(pasts):
        past.note(pasts, seat, match.number)


def _past(row: Any) -> BotPast:
    past = BotPast(row.name)
    past.games, past.last_match = row.games, row.last_match_id
    past.seats, past.met = json.loads(row.seats), json.loads(row.met)
    return past


def _write_pasts(
    connection: sa.Connection, ladder: Ladder, known: Mapping[str, BotPast], ids: Mapping[str, int]
) -> None:
    keys = ladder._asdict()
    rows = (
        {
            **keys,
            "bot_id": ids[name],
            "games": past.games,
            "last_match_id": past.last_match,
            "seats": json.dumps(past.seats, separators=(",", ":")),
            "met": json.dumps(past.met, separators=(",", ":")),
        }
        for name, past in known.items()
    )
    _PUT_PASTS.run(connection, rows)


def pasts(connection: sa.Connection, pool: Pool) -> tuple[list[BotPast], int]:
    """The pasts of a ladder's bots, and the number of its matches.

    Of the last matches only the order is known, so these have the last numbers, in their order.
    """
    rows = _ALL_PASTS.rows(connection, **Ladder.of(pool)._asdict())
    found = [_past(row) for row in rows]
    matches = sum(past.games for past in found) // pool.players
    last = sorted({past.last_match for past in found}, reverse=True)
    numbers = {match_id: matches - place for place, match_id in enumerate(last)}
    for past in found:
        past.last_match = numbers[past.last_match]
    return found, matches


def note_ended(connection: sa.Connection, records: Sequence[MatchRecord]) -> None:
    """Record the conduct of the bots of ladder matches that end, in this order."""
    ended = [entry for record in records for entry in conduct_of_bots.outcomes(record)]
    if not ended:
        return
    rows = _CONDUCT.rows(connection, names=as_list(sorted({entry.bot for entry in ended})))
    by_name = {row.name: row for row in rows}
    known = {row.name: Conduct.of_text(row.conduct) if row.conduct else Conduct() for row in rows}
    for entry in ended:
        if entry.ended_ms > (by_name[entry.bot].resumed_ms or -1):
            known[entry.bot].note(entry)
    _UPDATE_CONDUCT.run(
        connection,
        ({"id": by_name[name].id, "conduct": found.as_text()} for name, found in known.items()),
    )


def conduct(connection: sa.Connection) -> dict[str, Conduct]:
    """The bots' conduct on the ladder since they were last reinstated, by name."""
    bots = schema.bots.c
    rows = connection.execute(sa.select(bots.name, bots.conduct).where(bots.conduct.is_not(None)))
    return {row.name: Conduct.of_text(row.conduct) for row in rows}


def outcomes(connection: sa.Connection) -> list[ConductEntry]:
    """Outcomes of ladder matches since the bot was last reinstated, in order of their ends."""
    table, seats, bots = schema.matches, schema.seats, schema.bots
    question = (
        sa.select(
            bots.c.name,
            table.c.name.label("match"),
            counts().label("counts"),
            table.c.reason,
            table.c.finished_ms,
            seats.c.forfeit,
            seats.c.fault,
            seats.c.rank,
        )
        .select_from(table.join(seats).join(bots))
        .where(
            OF_LADDER,
            table.c.reason.is_not(None),
            table.c.finished_ms > sa.func.coalesce(bots.c.resumed_ms, -1),
        )
        .order_by(table.c.finished_ms, table.c.id, seats.c.seat)
    )
    return [
        ConductEntry(
            bot=row.name,
            fault=row.fault,
            result=row.rank is not None,
            finished=row.reason == "finished" and row.forfeit is None,
            ended_ms=row.finished_ms,
            match=row.match,
            annulled=not row.counts,
        )
        for row in connection.execute(question)
    ]


def write_again(connection: sa.Connection) -> None:
    """Write both anew from the recorded matches."""
    write_conduct_again(connection)
    _write_pasts_again(connection)


def write_conduct_again(connection: sa.Connection) -> None:
    """Write the bots' conduct anew: a host has annulled matches."""
    bots = schema.bots
    connection.execute(sa.update(bots).where(bots.c.conduct.is_not(None)).values(conduct=None))
    found = conduct_of_bots.conduct_of(outcomes(connection))
    rows = connection.execute(sa.select(bots.c.id, bots.c.name)).all()
    _UPDATE_CONDUCT.run(
        connection,
        ({"id": row.id, "conduct": found[row.name].as_text()} for row in rows if row.name in found),
    )


def _write_pasts_again(connection: sa.Connection) -> None:
    table, seats, bots = schema.matches, schema.seats, schema.bots
    connection.execute(sa.delete(_PASTS))
    question = (
        sa.select(seats.c.match_id, *(table.c[key] for key in Ladder._fields), bots.c.name)
        .select_from(table.join(seats).join(bots))
        .where(OF_LADDER)
        .order_by(seats.c.match_id, seats.c.seat)
    )
    ladders: dict[Ladder, dict[str, BotPast]] = defaultdict(dict)
    for match_id, of_match in groupby(connection.execute(question), key=lambda row: row.match_id):
        rows = list(of_match)
        ladder = Ladder(*(getattr(rows[0], key) for key in Ladder._fields))
        _note(ladders[ladder], Begun(match_id, ladder, [row.name for row in rows]))
    ids = {row.name: row.id for row in connection.execute(sa.select(bots.c.id, bots.c.name))}
    for ladder, known in ladders.items():
        _write_pasts(connection, ladder, known, ids)
