"""Bots in the database: their names, ids, tokens' hashes, and who is kept from playing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from polynya_protocol.names import folded
from polynya_tournaments.errors import NotInStoreError
from polynya_tournaments.store import schema
from polynya_tournaments.store.rows import BotRow
from polynya_tournaments.store.statements import CompiledRead, as_list, in_list
from polynya_tournaments.store.wall_clock import now_ms

_IDS = CompiledRead(
    sa.select(schema.bots.c.name, schema.bots.c.id, schema.bots.c.guest).where(
        schema.bots.c.name.in_(in_list("names", sa.Text()))
    )
)


def bot_ids(
    connection: sa.Connection, names: Iterable[str], guests: Collection[str] = ()
) -> dict[str, int]:
    """The ids of bots by name; those that are not there yet are added, without a token.

    Those of ``guests`` are added as such; a guest who comes as a bot is one from then on.
    """
    wanted = sorted(set(names))
    found = _known(connection, wanted)
    missing = [name for name in wanted if name not in found]
    if missing:
        rows = [{"name": name, "created_ms": now_ms(), "guest": name in guests} for name in missing]
        connection.execute(sa.insert(schema.bots), rows)
        found |= _known(connection, missing)
    bots = [row.id for row in found.values() if row.guest and row.name not in guests]
    if bots:
        table = schema.bots
        connection.execute(sa.update(table).where(table.c.id.in_(bots)).values(guest=False))
    return {name: row.id for name, row in found.items()}


def _known(connection: sa.Connection, names: list[str]) -> dict[str, Any]:
    return {row.name: row for row in _IDS.rows(connection, names=as_list(names))}


def register(
    connection: sa.Connection, name: str, token_hash: bytes, instead_of: bytes | None = None
) -> str | None:
    """Give a bot this token: one that has none and was not revoked, or has that of ``instead_of``.

    Returns:
        None if it has it now; else the taken name that stands in its way: its own, or one that
        differs in the case of letters only.
    """
    bots = schema.bots
    if name_like(connection, name) is not None:
        return name_like(connection, name)
    statement = insert(bots).values(name=name, token_hash=token_hash, created_ms=now_ms())
    changed = connection.execute(
        statement.on_conflict_do_update(
            index_elements=[bots.c.name],
            set_={"token_hash": statement.excluded.token_hash, "guest": sa.false()},
            where=bots.c.token_hash.is_not_distinct_from(instead_of) & bots.c.revoked_ms.is_(None),
        )
    )
    return None if changed.rowcount == 1 else name


def name_like(connection: sa.Connection, name: str) -> str | None:
    """A known name that differs in the case of letters only, unless ``name`` is known itself."""
    known = schema.bots.c.name
    names = connection.scalars(sa.select(known).where(sa.func.lower(known) == folded(name))).all()
    return None if name in names else next(iter(names), None)


def set_token(connection: sa.Connection, name: str, token_hash: bytes) -> None:
    """Register a bot, or replace a registered one's token; it is revoked no more."""
    number = bot_ids(connection, [name])[name]
    bots = schema.bots
    connection.execute(
        sa.update(bots).where(bots.c.id == number).values(token_hash=token_hash, revoked_ms=None)
    )


def revoke(connection: sa.Connection, name: str) -> bool:
    """Take a bot's token away and keep its name taken; False if there is no such bot."""
    return _update(connection, name, token_hash=None, revoked_ms=now_ms())


def suspend(connection: sa.Connection, name: str, why: str) -> bool:
    """Let the ladder give a bot no matches; ``why`` is the sentence that the host reads.

    False if there is no such bot.
    """
    return _update(connection, name, suspended_ms=now_ms(), suspension=why)


def resume(connection: sa.Connection, name: str) -> bool:
    """Let the ladder give it matches again; False if there is no such bot."""
    return _update(connection, name, suspended_ms=None, suspension=None, resumed_ms=now_ms())


def _update(connection: sa.Connection, name: str, **values: object) -> bool:
    bots = schema.bots
    changed = connection.execute(sa.update(bots).where(bots.c.name == name).values(**values))
    return changed.rowcount == 1


def token_hashes(connection: sa.Connection) -> dict[str, bytes]:
    """The SHA-256 of the token of every registered bot, by name."""
    bots = schema.bots.c
    rows = connection.execute(
        sa.select(bots.name, bots.token_hash).where(bots.token_hash.is_not(None))
    )
    return {row.name: row.token_hash for row in rows}


def suspensions(connection: sa.Connection) -> dict[str, str]:
    """By name why bots are suspended."""
    bots = schema.bots.c
    rows = connection.execute(
        sa.select(bots.name, bots.suspension).where(bots.suspension.is_not(None))
    )
    return {row.name: row.suspension for row in rows}


@dataclass(frozen=True, slots=True)
class Roster:
    """Who may play, as it stands in the database.

    Attributes:
        token_hashes: the SHA-256 of the token of every registered bot, by name.
        suspended: the names of those that the ladder gives no matches.
        resumed_ms: when bots were last put back, by name.
    """

    token_hashes: Mapping[str, bytes]
    suspended: frozenset[str]
    resumed_ms: Mapping[str, int]


def roster(connection: sa.Connection) -> Roster:
    """Who may play now."""
    bots = schema.bots.c
    names = connection.scalars(sa.select(bots.name).where(bots.suspension.is_not(None)))
    resumed = connection.execute(
        sa.select(bots.name, bots.resumed_ms).where(bots.resumed_ms.is_not(None))
    )
    return Roster(
        token_hashes(connection),
        frozenset(names),
        {row.name: row.resumed_ms for row in resumed},
    )


def bots(connection: sa.Connection) -> list[BotRow]:
    """All bots by name, without guests."""
    bots_ = schema.bots
    rows = connection.execute(
        sa.select(bots_).where(bots_.c.guest.is_(sa.false())).order_by(bots_.c.name)
    )
    return [_bot_row(row) for row in rows]


def _bot_row(row: Any) -> BotRow:
    """A bot from its row."""
    return BotRow(
        row.name,
        row.created_ms,
        row.token_hash is not None,
        row.revoked_ms is not None,
        row.suspension,
        row.guest,
    )


def bot(connection: sa.Connection, name: str) -> BotRow:
    """A bot by its name.

    Raises:
        NotInStoreError: there is none.
    """
    row = connection.execute(sa.select(schema.bots).where(schema.bots.c.name == name)).one_or_none()
    if row is None:
        raise NotInStoreError(f"the database holds no bot {name}")
    return _bot_row(row)


def token_hash(connection: sa.Connection, name: str) -> bytes | None:
    """The SHA-256 of a bot's token; None without one."""
    table = schema.bots.c
    found: bytes | None = connection.scalar(sa.select(table.token_hash).where(table.name == name))
    return found
