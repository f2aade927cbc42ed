"""Copies a database into another one of any kind, to move a contest to a server or into a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import StoreError
from polynya_store import schema
from polynya_store.backends.sql import fill, note_rows, restart_ids
from polynya_store.ratings.recompute import differences
from polynya_store.store import Store

_AT_ONCE = 500
_LEFT_OUT = {schema.play_sessions, schema.game_servers}
"""Tables of servers' sessions, which mean nothing in another database."""

_TABLES = [table for table in schema.metadata.sorted_tables if table not in _LEFT_OUT]


class Copied(NamedTuple):
    """The counts of a copy that was found equal.

    Attributes:
        rows: how many, by table.
        replays_sha256: over all replays in the order of their matches, in hexadecimal.
        differing_ratings: ratings that are recorded otherwise than the results give, in both.
    """

    rows: dict[str, int]
    replays_sha256: str
    differing_ratings: int


def copy_database(source: DatabaseAddress, target: DatabaseAddress) -> Copied:
    """Copy everything, and compare: the numbers of rows, all replays, and computed ratings.

    Raises:
        StoreError: there is no ``source``, a process plays into one of them, ``target`` holds
            something already, or the copy differs; then ``target`` holds nothing.
    """
    if source == target:
        raise StoreError(f"{source} cannot be copied into itself")
    Store.open(source).close()  # to play would make it, and an empty copy would be equal
    with (
        Store.open(source, for_play=True) as origin,
        Store.open(target, for_play=True) as copy,
        origin.database.reading() as read,
        copy.database.writing() as written,
    ):
        _refuse_filled(written, target)
        for table in _TABLES:
            _copy_table(read, written, table)
        return _compared(read, written)


def _refuse_filled(connection: sa.Connection, target: DatabaseAddress) -> None:
    for table in _TABLES:
        if connection.execute(sa.select(table).limit(1)).first() is not None:
            raise StoreError(f"{target} holds {table.name} already; give an empty database")


def _copy_table(read: sa.Connection, written: sa.Connection, table: sa.Table) -> None:
    names = [column.name for column in table.c if column is not schema.matches.c.session_id]
    fill(written, table, names, _rows(read, table, names))
    restart_ids(written, table)
    note_rows(written, table)


def _rows(
    connection: sa.Connection, table: sa.Table, names: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Stream all rows in order of their key, with raw values."""
    as_they_are = [sa.type_coerce(table.c[name], sa.types.NULLTYPE) for name in names]
    question = sa.select(*as_they_are).order_by(*table.primary_key.columns)
    for row in connection.execute(question, execution_options={"yield_per": _AT_ONCE}):
        yield tuple(row)


def _compared(read: sa.Connection, written: sa.Connection) -> Copied:
    there, here = (
        Copied(
            {table.name: _count(one, table) for table in _TABLES},
            _digest(one),
            len(differences(one)),
        )
        for one in (read, written)
    )
    if there != here:
        raise StoreError(f"the copy differs: {there} there, {here} here; nothing was written")
    return here


def _count(connection: sa.Connection, table: sa.Table) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def _digest(connection: sa.Connection) -> str:
    digest = hashlib.sha256()
    for match_id, document in _rows(connection, schema.replays, ["match_id", "document"]):
        digest.update(f"{match_id} {len(document)}\n".encode())
        digest.update(document)
    return digest.hexdigest()
