"""The secrets of tournaments, which their seeds follow from, and when they come out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_contest.pairing.formats.interface import RULES_WITH_SEED
from polynya_contest.pairing.schedule import seed_of_rules_2
from polynya_contest.secret import Secret, SeedOf, tournament_content
from polynya_store import schema
from polynya_store.recorded_secret import (
    PublicSecret,
    RecordedSecret,
    add_secret,
    public,
    secrets_where,
)
from polynya_store.statements import tournament_by_id, tournament_row
from polynya_store.tournaments.open_pairings import UNDECIDED
from polynya_store.tournaments.tournament_table import is_complete


def add_for_tournament(
    connection: sa.Connection,
    tournament_id: int,
    secret: Secret,
    after: int = 0,
) -> None:
    """Record a secret for the matches that are drawn from now on.

    Args:
        connection: in a transaction that writes.
        tournament_id: of a recorded tournament with its entrants.
        secret: the secret.
        after: the number of the last match that was drawn before.
    """
    content = _content(connection, tournament_by_id(connection, tournament_id))
    add_secret(connection, secret, content, tournament_id=tournament_id, after=after)


def _content(connection: sa.Connection, row: Any) -> dict[str, Any]:
    """The content of the commitments to a tournament's secrets, of its row."""
    return tournament_content(json.loads(row.configuration), _first_field(connection, row.id))


def _first_field(connection: sa.Connection, tournament_id: int) -> list[str]:
    table = schema.entrants
    return list(
        connection.scalars(
            sa.select(schema.bots.c.name)
            .select_from(table.join(schema.bots))
            .where(table.c.tournament_id == tournament_id, table.c.entered_after == 0)
            .order_by(table.c.number)
        )
    )


def of_tournament(connection: sa.Connection, name: str) -> list[RecordedSecret]:
    """A tournament's secrets, the present one last; none for a tournament that 0.3.0 began."""
    number = tournament_row(connection, name).id
    return secrets_where(connection, schema.secrets.c.tournament_id == number)


def present_secret(connection: sa.Connection, name: str) -> tuple[Secret, SeedOf]:
    """A tournament's present secret, and what gives the seeds of its blocks."""
    row = tournament_row(connection, name)
    found = secrets_where(connection, schema.secrets.c.tournament_id == row.id)
    if found:
        secret = found[-1].secret
        return secret, secret.match_seed
    description = json.loads(row.configuration)
    seed = int(description["seed"])
    if description["rules"] != RULES_WITH_SEED:
        raise StoreError(f"tournament {name} has no secret: the database is damaged")
    return Secret.of_seed(seed), seed_of_rules_2(seed)


def enter_beacon(connection: sa.Connection, name: str, value: str) -> None:
    """Record the public value that a tournament's description names.

    Raises:
        StoreError: it names none, or has another one already.
    """
    row = tournament_row(connection, name)
    if "beacon" not in json.loads(row.configuration):
        raise StoreError(f"the description of {name} names no beacon: there is nothing to enter")
    found = secrets_where(connection, schema.secrets.c.tournament_id == row.id)
    known = found[-1].secret.beacon
    if known == value:
        return
    if known is not None:
        raise StoreError(
            f"the beacon of {name} is recorded already, as {known!r}: it cannot be changed, "
            "because set-ups follow from it"
        )
    mine = schema.secrets.c.tournament_id == row.id
    connection.execute(sa.update(schema.secrets).where(mine).values(beacon=value))


def public_secrets(
    connection: sa.Connection, name: str, *, hidden: bool = False
) -> list[PublicSecret]:
    """The public part of the secrets: all when every match is decided and none is in play.

    While results are ``hidden``, so is whether that is so.
    """
    recorded = of_tournament(connection, name)
    if not recorded or hidden or not is_out(connection, name):
        return [public(one, None, is_out=False) for one in recorded]
    content = _content(connection, tournament_row(connection, name))
    return [public(one, content, is_out=True) for one in recorded]


def is_out(connection: sa.Connection, name: str) -> bool:
    """Whether a tournament's secrets are out, if it hides no results."""
    pairings, matches = schema.pairings, schema.matches
    in_play = (
        sa.select(matches.c.id)
        .select_from(pairings.join(matches))
        .where(
            pairings.c.tournament_id == tournament_row(connection, name).id,
            matches.c.reason.is_(None),
        )
        .limit(1)
    )
    return is_complete(connection, name) and connection.scalar(in_play) is None


def renew(connection: sa.Connection, name: str) -> bool:
    """Give a restored tournament a new secret, unless it is over or a host has named its seed.

    The numbers after the backup are played a second time, and their set-ups may have been seen. So
    blocks of which no match has begun get their seeds from the new secret. Returns whether it has
    a new one.
    """
    found = of_tournament(connection, name)
    if not found or found[-1].secret.named_seed is not None or is_complete(connection, name):
        return False
    number = tournament_row(connection, name).id
    pairings, matches = schema.pairings.c, schema.matches.c
    mine = pairings.tournament_id == number
    last = connection.scalar(sa.select(sa.func.max(pairings.number)).where(mine)) or 0
    secret = replace(Secret.new(), beacon=found[-1].secret.beacon)
    add_for_tournament(connection, number, secret, last)
    begun = (
        sa.select(pairings.block)
        .join(schema.matches, matches.pairing_id == pairings.id)
        .where(mine)
    )
    unplayed = sa.and_(mine, pairings.state.in_(UNDECIDED), pairings.block.not_in(begun))
    for block in connection.scalars(sa.select(pairings.block).distinct().where(unplayed)).all():
        connection.execute(
            sa.update(schema.pairings)
            .where(mine, pairings.block == block)
            .values(seed=str(secret.match_seed(block)))
        )
    return True
