"""A secret as the database holds it, and the part of it that everybody may know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_contest.secret import Secret, canonical
from polynya_store import schema
from polynya_store.backends.sql import clock_ms


@dataclass(frozen=True, slots=True)
class RecordedSecret:
    """A secret as it is recorded; only hosts see it before it is out.

    Attributes:
        number: of its row.
        after: the number of the last match that was drawn, or begun on a ladder, before it; None
            for a month of ladders without a match yet.
        secret: itself.
        commitment: what was published with it; see
            :meth:`~polynya_contest.secret.Secret.commitment`.
        made_ms: when it was recorded, ms since 1970.
        month: of ladders, like ``2026-12``; None for a tournament.
        out_ms: when a ladder's came out; None for a tournament's, which is out when the tournament
            is complete.
    """

    number: int
    after: int | None
    secret: Secret
    commitment: str
    made_ms: int
    month: str | None = None
    out_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PublicSecret:
    """The public part of a secret.

    Attributes:
        commitment: published before the first match that follows from it.
        made_ms: since when it is recorded, ms since 1970.
        after: see :class:`RecordedSecret`.
        month: see :class:`RecordedSecret`.
        beacon: the public value that was entered after the commitment; None without one.
        secret: in hexadecimal; None as long as matches may follow from it.
        named_seed: whether a host has named a seed, so that everybody can foresee set-ups.
        content: the JSON text that the commitment is to beside the secret; None before that is out.
    """

    commitment: str
    made_ms: int
    after: int | None
    month: str | None
    beacon: str | None
    secret: str | None
    named_seed: bool
    content: str | None = None


def public(found: RecordedSecret, content: Any, *, is_out: bool) -> PublicSecret:
    """The part of a secret, committed to with ``content``, to be shown; all of it if it is out."""
    return PublicSecret(
        found.commitment,
        found.made_ms,
        found.after,
        found.month,
        found.secret.beacon,
        found.secret.hex if is_out else None,
        found.secret.named_seed is not None,
        canonical(content) if is_out else None,
    )


def secrets_where(connection: sa.Connection, *which: Any) -> list[RecordedSecret]:
    """The secrets for which these conditions hold, in the order in which they were made."""
    rows = connection.execute(sa.select(schema.secrets).where(*which).order_by(schema.secrets.c.id))
    return [
        RecordedSecret(
            row.id,
            row.after,
            Secret.from_hex(row.secret, row.beacon),
            row.commitment,
            row.made_ms,
            row.month,
            row.out_ms,
        )
        for row in rows
    ]


def secret_of_block(found: Sequence[RecordedSecret], key: str, seed: int) -> Secret:
    """The secret that a block's set-up follows from: the last to give its seed.

    Args:
        found: all of its tournament, one at least.
        key: the block's.
        seed: of its matches.
    """
    giving = [one.secret for one in found if one.secret.match_seed(key) == seed]
    return (giving or [one.secret for one in found])[-1]


def add_secret(connection: sa.Connection, secret: Secret, content: Any, **where: Any) -> None:
    """Record a secret with its commitment to ``content``; ``where`` says what it belongs to."""
    connection.execute(
        sa.insert(schema.secrets).values(
            secret=secret.hex,
            beacon=secret.beacon,
            commitment=secret.commitment(content),
            made_ms=clock_ms(connection),
            **where,
        )
    )
