"""Bots in the journal's transactions: their ids, tokens, and suspensions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from polynya_common.reasons import Cause
from polynya_protocol.names import folded
from polynya_store import schema
from polynya_store.backends.sql import COUNTED, now_ms, upsert
from polynya_store.statements import CompiledRead, as_list, in_list

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
    """Give a bot this token if it has none and was not revoked, or has that of ``instead_of``.

    Returns:
        None if it has it now; else the taken name that stands in its way: its own, or a name
        that differs in the case of letters only.
    """
    bots = schema.bots
    if name_like(connection, name) is not None:
        return name_like(connection, name)
    statement = upsert(bots).values(name=name, token_hash=token_hash, created_ms=now_ms())
    changed = connection.execute(
        statement.on_conflict_do_update(
            index_elements=[bots.c.name],
            set_={"token_hash": statement.excluded.token_hash, "guest": sa.false()},
            where=bots.c.token_hash.is_not_distinct_from(instead_of) & bots.c.revoked_ms.is_(None),
        ),
        execution_options=COUNTED,
    )
    return None if changed.rowcount == 1 else name


def name_like(connection: sa.Connection, name: str) -> str | None:
    """A known name that differs in the case of letters only, unless ``name`` is known itself."""
    known = schema.bots.c.name
    names = connection.scalars(sa.select(known).where(sa.func.lower(known) == folded(name))).all()
    return None if name in names else next(iter(names), None)


def suspend(connection: sa.Connection, name: str, why: Cause) -> bool:
    """Let the ladder give a bot no matches; ``why`` is the sentence that the host reads.

    False if there is no such bot.
    """
    return update_bot(connection, name, suspended_ms=now_ms(), suspension=why)


def resume(connection: sa.Connection, name: str) -> bool:
    """Let the ladder give it matches again; False if there is no such bot."""
    return update_bot(connection, name, suspended_ms=None, suspension=None, resumed_ms=now_ms())


def update_bot(connection: sa.Connection, name: str, **values: object) -> bool:
    """Set columns of a bot; False if there is no such bot."""
    bots = schema.bots
    changed = connection.execute(sa.update(bots).where(bots.c.name == name).values(**values))
    return changed.rowcount == 1
