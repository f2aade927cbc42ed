"""Tournaments recorded: descriptions, entrants, matches, late entries, withdrawals, software."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_common.text import join_words
from polynya_contest.pairing.formats import Entrant, format_of
from polynya_contest.pairing.formats.formats_by_name import SETTINGS
from polynya_contest.pairing.formats.interface import RULES_WITH_SEED
from polynya_contest.pairing.schedule import Pairing, TournamentPlan
from polynya_contest.pairing.standings import WITHDRAWN
from polynya_store import schema
from polynya_store.backends.sql import now_ms, upsert
from polynya_store.bots.bot_repository import bot_ids
from polynya_store.ratings import rating_order
from polynya_store.statements import tournament_by_id, tournament_row
from polynya_store.tournaments import tournament_secrets
from polynya_store.tournaments.open_pairings import (
    UNDECIDED,
    WALKOVER,
    walk_over,
    why_missed,
)
from polynya_store.tournaments.recorded_rounds import Recorded, entrants, recorded

_AT_A_TIME = 500


def add_entrants(connection: sa.Connection, tournament_id: int, drawn: Sequence[Entrant]) -> None:
    """Append entrants in the order of the seeding."""
    if not drawn:
        return
    table = schema.entrants.c
    last = connection.scalar(
        sa.select(sa.func.max(table.number)).where(table.tournament_id == tournament_id)
    )
    ids, present_ms = bot_ids(connection, (entrant.name for entrant in drawn)), now_ms()
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
                "entered_ms": present_ms,
                "withdrawn_ms": None if entrant.withdrawn is None else present_ms,
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
    """Enter the given bots that are not entrants yet.

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
    """Withdraw bots at the same moment; return the names of those that had not withdrawn.

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
        .values(withdrawn=found.round, withdrawn_after=found.last_number, withdrawn_ms=now_ms())
    )


def _undecided(connection: sa.Connection, tournament_id: int) -> Sequence[Any]:
    pairings = schema.pairings.c
    return connection.execute(
        sa.select(pairings.id, pairings.block, pairings.players)
        .where(pairings.tournament_id == tournament_id, pairings.state.in_(UNDECIDED))
        .order_by(pairings.number)
    ).all()


def plan_tournament(connection: sa.Connection, plan: TournamentPlan) -> int:
    """Record a tournament with its first matches, or find it as it was recorded; its id.

    Bots that the description has and the recorded tournament has not enter late, if it says so.

    Raises:
        StoreError: there is one of this name with another description.
    """
    found = planned(connection, plan.name, plan.configuration, plan.late_entry)
    if found is None:
        return _insert(connection, plan)
    enter(connection, found, plan.entrants, plan.late_entry)
    return found


def planned(
    connection: sa.Connection, name: str, configuration: str, late_entry: str = "no"
) -> int | None:
    """The id of a tournament that is recorded with this description; None if it is not yet.

    The order of the bots makes no other description: it has seeded them when it was recorded.

    Raises:
        StoreError: there is one of this name with another description.
    """
    tournaments = schema.tournaments
    found = connection.execute(
        sa.select(tournaments).where(tournaments.c.name == name)
    ).one_or_none()
    if found is None:
        return None
    recorded, given = json.loads(found.configuration), json.loads(configuration)
    entered = [one.name for one in entrants(connection, found.id)]
    differing = [
        *_other_bots(entered, given["bots"], late_entry, _refuses_late_entry(recorded)),
        *_differing(_comparable(recorded), _comparable(_as_recorded(given, recorded))),
    ]
    if differing:
        raise StoreError(
            f"the database holds a tournament {name} with another description "
            f"({'; '.join(differing)}); give this one another name, or another database"
        )
    return int(found.id)


def _comparable(document: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of a tournament, settings with defaults; parts compared apart are left out."""
    compared = {key: value for key, value in document.items() if key not in ("bots", "rules")}
    table = document["format"]
    compared[table] = msgspec.convert(document.get(table, {}), SETTINGS[table])
    return compared


def _as_recorded(given: Mapping[str, Any], recorded: Mapping[str, Any]) -> Mapping[str, Any]:
    """A description as the version that recorded the tournament would have recorded it."""
    return {"seed": 0, **given} if recorded["rules"] == RULES_WITH_SEED else given


def _refuses_late_entry(document: Mapping[str, Any]) -> str:
    """Why no bot can enter in any round; empty if bots can."""
    chosen = document["format"]
    settings = msgspec.convert(document.get(chosen, {}), SETTINGS[chosen])
    return settings.refuses_late_entry(1)


def _other_bots(
    entered: Sequence[str], given: Sequence[str], late_entry: str, refused: str
) -> Iterator[str]:
    more = [name for name in given if name not in entered]
    fewer = [name for name in entered if name not in given]
    if more and late_entry == "no":
        remedy = refused or 'late_entry = "zero" or "half" lets them enter'
        yield f"other bots: {join_words(more)} more; {remedy}"
    if fewer:
        yield f"other bots: {join_words(fewer)} less; give a bot that leaves withdrawn = true"


def _differing(recorded: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    keys = sorted(recorded.keys() | given.keys())
    other = [key for key in keys if recorded.get(key) != given.get(key)]
    return [f"other {', '.join(other)}"] if other else []


def _digest(configuration: str) -> str:
    return hashlib.sha256(configuration.encode()).hexdigest()


def _insert(connection: sa.Connection, plan: TournamentPlan) -> int:
    inserted = connection.execute(
        sa.insert(schema.tournaments).values(
            name=plan.name,
            configuration=plan.configuration,
            configuration_hash=_digest(plan.configuration),
            game=plan.game,
            players=plan.players,
            duplicate=json.loads(plan.configuration).get("duplicate", False),
            created_ms=now_ms(),
            rated_through=0,
        )
    )
    (number,) = inserted.inserted_primary_key or (0,)
    add_entrants(connection, number, plan.entrants)
    tournament_secrets.add_for_tournament(connection, number, plan.secret)
    add_pairings(connection, number, plan.pairings)
    return int(number)


def submissions(connection: sa.Connection, tournament: str) -> dict[str, str | None]:
    """The software of each bot when submissions closed, by name; None if not declared yet."""
    table = schema.submissions
    rows = connection.execute(
        sa.select(schema.bots.c.name, table.c.submitted)
        .select_from(table.join(schema.bots))
        .where(table.c.tournament_id == tournament_row(connection, tournament).id)
    )
    return {name: submitted for name, submitted in rows}  # noqa: C416


def submit(connection: sa.Connection, tournament: str, present: Mapping[str, str | None]) -> None:
    """Record bots' software if none is recorded yet.

    The first call leaves the others out for ever: a bot not registered at that moment is not in.
    """
    table = schema.submissions
    number = tournament_row(connection, tournament).id
    known = submissions(connection, tournament)
    late = {name for name in present if known and name not in known}
    ids = bot_ids(connection, present)
    for name, submitted in present.items():
        if name in late or known.get(name) is not None:
            continue
        statement = upsert(table).values(
            tournament_id=number, bot_id=ids[name], submitted=submitted
        )
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["tournament_id", "bot_id"], set_={"submitted": submitted}
            )
        )
