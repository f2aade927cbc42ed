"""The SQL in which the two kinds of databases differ: lists, rows at once, clocks, and new ids.

All other statements are SQLAlchemy's, which writes them for each.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


def now_ms() -> int:
    """The wall clock, in ms since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000


__all__ = [
    "COUNTED",
    "POSTGRESQL_CLOCK_MS",
    "Write",
    "clock_ms",
    "column_names",
    "execute",
    "fill",
    "is_postgresql",
    "listed_values",
    "new_ids",
    "note_rows",
    "restart_ids",
    "run",
    "statement_for",
    "upsert",
]
# ``upsert``: SQLite has taken its ON CONFLICT from PostgreSQL, and SQLAlchemy writes the statement
# of the latter for both.

COUNTED: Mapping[str, Any] = {"preserve_rowcount": True}
"""Execution options of an insert whose ``rowcount`` is asked for."""

POSTGRESQL_CLOCK_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The clock of a PostgreSQL server, in ms since 1970."""

_KEY = "key_"


def is_postgresql(dialect: sa.Dialect) -> bool:
    """Whether the connection is to PostgreSQL."""
    return dialect.name == "postgresql"


class Write(NamedTuple):
    """An insert or update of many rows, each with a value for each of ``names``.

    Attributes:
        table: where.
        names: columns; those of ``keys`` say which row is meant.
        keys: of an insert those by which a row is there already; empty to insert all.
        changing: the columns that are set in rows that are there.
        inserts: whether rows that are not there are added.
    """

    table: sa.Table
    names: Sequence[str]
    keys: Sequence[str] = ()
    changing: Sequence[str] = ()
    inserts: bool = True


class _Listed(FunctionElement[Any]):
    """A JSON list as a table of one column, ``value``."""

    name = "json_each"
    inherit_cache = True


class _Value(FunctionElement[Any]):
    """A value of such a list, of the type of the column that it is compared with."""

    name = "value"
    inherit_cache = True


@compiles(_Listed)
def _listed(element: Any, compiler: Any, **words: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **words)})"


@compiles(_Listed, "postgresql")
def _listed_postgresql(element: Any, compiler: Any, **words: Any) -> str:
    return f"json_array_elements_text(({compiler.process(element.clauses, **words)})::json)"


@compiles(_Value)
def _value(element: Any, compiler: Any, **words: Any) -> str:
    text: str = compiler.process(element.clauses, **words)
    return text


@compiles(_Value, "postgresql")
def _value_postgresql(element: Any, compiler: Any, **words: Any) -> str:
    kind = compiler.dialect.type_compiler_instance.process(element.type)
    return f"({compiler.process(element.clauses, **words)})::{kind}"


def listed_values(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Select[tuple[Any]]:
    """The values of the JSON list that the text parameter ``name`` is."""
    values = _Listed(sa.bindparam(name, type_=sa.Text)).table_valued(sa.column("value", sa.Text))
    value = _Value(values.c.value)
    value.type = kind
    return sa.select(value.label("value"))


def clock_ms(connection: sa.Connection) -> int:
    """The one clock of all processes that share a database, in ms since 1970.

    Those of their machines may differ; a file is used on one machine.
    """
    if not is_postgresql(connection.dialect):
        return now_ms()
    [[present_ms]] = connection.exec_driver_sql(f"SELECT {POSTGRESQL_CLOCK_MS}")
    return int(present_ms)


def new_ids(connection: sa.Connection, table: sa.Table, count: int) -> Sequence[int]:
    """New ids for rows, ascending; the database never gives one twice."""
    if is_postgresql(connection.dialect):
        given = connection.exec_driver_sql(
            "SELECT nextval(%s) FROM generate_series(1, %s)", (f"{table.name}_id_seq", count)
        )
        return sorted(row[0] for row in given)
    # The transaction holds the write lock, and SQLite itself numbers rows like this.
    [[last]] = execute(connection, f"SELECT coalesce(max(id), 0) FROM {table.name}", ())  # noqa: S608 - a table of ours
    return range(last + 1, last + 1 + count)


def restart_ids(connection: sa.Connection, table: sa.Table) -> None:
    """Continue ids behind those of copied rows."""
    if is_postgresql(connection.dialect) and "id" in table.c:
        last = sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0) + 1).scalar_subquery()
        connection.execute(sa.select(sa.func.setval(f"{table.name}_id_seq", last, sa.false())))


def note_rows(connection: sa.Connection, table: sa.Table) -> None:
    """Update the database's statistics: without them it scans tables for each match."""
    if is_postgresql(connection.dialect):
        connection.exec_driver_sql(f'ANALYZE "{table.name}"')


def statement_for(dialect: sa.Dialect, write: Write) -> sa.Insert | sa.Update:
    """One row by a parameter for each value, or on PostgreSQL all rows by a list for each column.

    A statement there costs a message to the server and back, however little it does.
    """
    table, names = write.table, write.names
    if not is_postgresql(dialect):
        values: Mapping[str, Any] = {
            name: sa.bindparam(_parameter(write, name), type_=table.c[name].type) for name in names
        }
        inserted = upsert(table).values(values)
    else:
        columns = [sa.column(name, _plain(table, name)) for name in names]
        lists = [
            sa.bindparam(_parameter(write, name), type_=ARRAY(_plain(table, name)))
            for name in names
        ]
        given = sa.func.unnest(*lists).table_valued(*columns).render_derived(name="given")
        values = dict(given.c.items())
        inserted = upsert(table).from_select(list(names), sa.select(*values.values()))
    if not write.inserts:
        same = [table.c[key] == values[key] for key in write.keys]
        return sa.update(table).where(*same).values({name: values[name] for name in write.changing})
    if not write.keys:
        return inserted.inline()
    changed = {name: inserted.excluded[name] for name in write.changing}
    return inserted.on_conflict_do_update(index_elements=write.keys, set_=changed).inline()


def _parameter(write: Write, name: str) -> str:
    # SQLAlchemy keeps the names of an update's columns for the values that are set.
    return _KEY + name if not write.inserts and name in write.keys else name


def column_names(parameters: Sequence[str]) -> list[str]:
    """The columns of a :func:`statement_for`'s parameters."""
    return [name.removeprefix(_KEY) for name in parameters]


def _plain(table: sa.Table, name: str) -> sa.types.TypeEngine[Any]:
    """The type in which values are sent, without a length to which they would be cut."""
    kind = table.c[name].type
    return sa.Text() if isinstance(kind, sa.String | sa.JSON) else kind


def execute(
    connection: sa.Connection, text: str, values: Iterable[Any], *, many: bool = False
) -> Sequence[Any]:
    """Run a statement's text in SQLAlchemy's transaction; all rows.

    The driver itself is asked: SQLAlchemy takes as long as the database.

    Raises:
        DBAPIError: of SQLAlchemy.
    """
    if not connection.in_transaction():
        connection.begin()
    driver: Any = connection.connection.driver_connection
    errors = connection.dialect.loaded_dbapi.Error
    try:
        cursor = (driver.executemany if many else driver.execute)(text, values)
        rows: list[Any] = cursor.fetchall() if cursor.description else []
    except errors as error:
        raise sa.exc.DBAPIError.instance(
            text, [], error, errors, dialect=connection.dialect, ismulti=many
        ) from error
    return rows


def run(
    connection: sa.Connection,
    write: Write,
    text: str,
    names: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
) -> None:
    """Run the text of a :func:`statement_for` for rows; nothing happens without rows.

    Args:
        connection: in a transaction.
        write: what it does.
        text: the compiled statement.
        names: the columns of its parameters, in the order in which they stand in it.
        rows: values by column.
    """
    if not is_postgresql(connection.dialect):
        if filled := [tuple([row[name] for name in names]) for row in rows]:
            execute(connection, text, filled, many=True)
        return
    given = list(rows)
    if write.keys:
        # One statement sets a row once: the last of those with the same keys, as one by one.
        given = list({tuple(row[key] for key in write.keys): row for row in given}.values())
    if given:
        lists = tuple(_list(write.table.c[n].type, [row[n] for row in given]) for n in names)
        execute(connection, text, lists)


def fill(
    connection: sa.Connection, table: sa.Table, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows from an iterator, in the quickest way for their number.

    Args:
        connection: in a transaction.
        table: where.
        names: its columns.
        rows: values in the order of the columns, as the database has them: JSON as text.

    Raises:
        DBAPIError: of SQLAlchemy.
    """
    driver: Any = connection.connection.driver_connection
    columns = ", ".join(f'"{name}"' for name in names)
    if not is_postgresql(connection.dialect):
        values = ", ".join("?" for _ in names)
        text = f'INSERT INTO "{table.name}" ({columns}) VALUES ({values})'  # noqa: S608
        execute(connection, text, rows, many=True)
        return
    text = f'COPY "{table.name}" ({columns}) FROM STDIN'
    errors = connection.dialect.loaded_dbapi.Error
    try:
        with driver.cursor() as cursor, cursor.copy(text) as copy:
            for row in rows:
                copy.write_row(row)
    except errors as error:
        raise sa.exc.DBAPIError.instance(
            text, [], error, errors, dialect=connection.dialect, ismulti=True
        ) from error


def _list(kind: sa.types.TypeEngine[Any], values: list[Any]) -> list[Any]:
    """Convert values for the driver: a float column may hold ints."""
    if isinstance(kind, sa.Float):
        return [None if value is None else float(value) for value in values]
    return values
