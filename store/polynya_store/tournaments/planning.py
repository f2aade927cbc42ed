"""Tournaments recorded before anything is played: descriptions, and software when they close."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_common.text import join_words
from polynya_contest.pairing.formats.formats_by_name import SETTINGS
from polynya_contest.pairing.schedule import TournamentPlan
from polynya_store import schema
from polynya_store.backends.sql import now_ms, upsert
from polynya_store.bots.registered_bots import bot_ids
from polynya_store.statements import tournament_row
from polynya_store.tournaments.entries import add_entrants, add_pairings, enter
from polynya_store.tournaments.recorded_rounds import entrants


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
        *_differing(_comparable(recorded), _comparable(given)),
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
            seed=str(plan.seed),
            created_ms=now_ms(),
            rated_through=0,
        )
    )
    (number,) = inserted.inserted_primary_key or (0,)
    add_entrants(connection, number, plan.entrants)
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
    """Record what bots run, where nothing is recorded of them yet.

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
