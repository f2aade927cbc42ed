"""The secrets of ladders: one for each calendar month, for all ladders of a database together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sa

from polynya_contest.secret import Secret, ladder_content
from polynya_store import schema
from polynya_store.backends.sql import clock_ms
from polynya_store.matches.ladder_summaries import OF_LADDER, PREFIX
from polynya_store.recorded_secret import (
    PublicSecret,
    RecordedSecret,
    add_secret,
    public,
    secrets_where,
)


def _month(connection: sa.Connection) -> str:
    """The calendar month in UTC, by the one clock of all processes."""
    return datetime.fromtimestamp(clock_ms(connection) / 1000, UTC).strftime("%Y-%m")


def _next_month(month: str) -> str:
    year, number = (int(part) for part in month.split("-"))
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def of_ladders(connection: sa.Connection) -> list[RecordedSecret]:
    """The secrets of all months, in the order in which they were made."""
    return secrets_where(connection, schema.secrets.c.month.is_not(None))


def ready_for_ladder(connection: sa.Connection, named_seed: int | None = None) -> Secret:
    """The secret of this month's ladders, made and committed to if there is none yet.

    Called when a ladder starts, so that the commitment is there before its first match. If the host
    names another seed than before, or none any more, the month gets a further secret.
    """
    bring_out(connection)
    month = _month(connection)
    found = _of_month(connection, month)
    if found is not None and found.secret.named_seed == named_seed:
        return found.secret
    _make(connection, _next_month(month), named_seed)
    return _make(connection, month, named_seed)


def _make(connection: sa.Connection, month: str, named_seed: int | None) -> Secret:
    secret = Secret.new() if named_seed is None else Secret.of_seed(named_seed)
    add_secret(connection, secret, ladder_content(month), month=month)
    return secret


def ladder_secret(connection: sa.Connection, last_number: int) -> Secret:
    """The secret for the ladder's next matches.

    When the first match of a month begins, the secret of the next month is made, so that its
    commitment is known long before.

    Args:
        connection: in a transaction that writes.
        last_number: of the last match that was numbered before them.
    """
    not_out = secrets_where(
        connection, schema.secrets.c.month.is_not(None), schema.secrets.c.out_ms.is_(None)
    )
    month = _month(connection)
    here = [one for one in not_out if one.month == month]
    if here and here[-1].after is not None:
        if not_out[0].month != month:  # those of earlier months wait to come out
            bring_out(connection)
        return here[-1].secret
    return _begin_month(connection, month, last_number, here)


def _begin_month(
    connection: sa.Connection, month: str, last_number: int, made: Sequence[RecordedSecret]
) -> Secret:
    secret = made[-1].secret if made else _make(connection, month, None)
    of_it = sa.and_(schema.secrets.c.month == month, schema.secrets.c.out_ms.is_(None))
    newest = sa.select(sa.func.max(schema.secrets.c.id)).where(of_it).scalar_subquery()
    connection.execute(
        sa.update(schema.secrets).where(schema.secrets.c.id == newest).values(after=last_number)
    )
    following = _next_month(month)
    if _of_month(connection, following) is None:
        _make(connection, following, secret.named_seed)
    bring_out(connection)
    return secret


def _of_month(connection: sa.Connection, month: str) -> RecordedSecret | None:
    found = secrets_where(
        connection, schema.secrets.c.month == month, schema.secrets.c.out_ms.is_(None)
    )
    return found[-1] if found else None


def bring_out(connection: sa.Connection) -> None:
    """Bring out the secrets of past months whose matches have ended."""
    # Matches begin in transactions that hold this row, or the whole file, so none begins meanwhile.
    connection.execute(
        sa.select(schema.numbers.c.last).where(schema.numbers.c.name == PREFIX).with_for_update()
    )
    month = _month(connection)
    waiting = secrets_where(
        connection, schema.secrets.c.month < month, schema.secrets.c.out_ms.is_(None)
    )
    if not waiting:
        return
    used = [one.after for one in of_ladders(connection) if one.after is not None]
    in_play = _in_play(connection)
    over = [one.number for one in waiting if not _has_match(one, used, in_play)]
    connection.execute(
        sa.update(schema.secrets)
        .where(schema.secrets.c.id.in_(over))
        .values(out_ms=clock_ms(connection))
    )


def _has_match(one: RecordedSecret, used: Sequence[int], in_play: Sequence[int]) -> bool:
    """Whether a match that has begun under a secret is still in play."""
    if one.after is None:
        return False
    last = min((after for after in used if after > one.after), default=None)
    return any(number > one.after and (last is None or number <= last) for number in in_play)


def _in_play(connection: sa.Connection) -> list[int]:
    """The numbers of the ladder's matches in play."""
    matches = schema.matches.c
    names = connection.scalars(sa.select(matches.name).where(OF_LADDER, matches.reason.is_(None)))
    numbers = (name.removeprefix(f"{PREFIX}-") for name in names)
    return [int(number) for number in numbers if number.isdecimal()]


def renew(connection: sa.Connection) -> None:
    """Give the ladders of a restored database a new secret for this month and the next.

    Numbers are given a second time, and their set-ups may have been seen.
    """
    month = _month(connection)
    known = _of_month(connection, month)
    if known is not None and known.secret.named_seed is None:
        _make(connection, _next_month(month), None)
        _make(connection, month, None)


def public_secrets(connection: sa.Connection) -> list[PublicSecret]:
    """The public part of all months' secrets, in the order in which they were made."""
    return [
        public(one, ladder_content(one.month or ""), is_out=one.out_ms is not None)
        for one in of_ladders(connection)
    ]
