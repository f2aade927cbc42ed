"""SQL statements compiled once, for what is run for every batch of matches.

SQLAlchemy takes longer to look up the text of a statement, to fill in its parameters and to
describe its result than SQLite takes to run it; ``docs/design/003-the-journal.md`` has figures.
"""

from __future__ import annotations

import json
import sqlite3
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

_DIALECT = sqlite.dialect()
_KEY = "key_"


def in_list(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Select[tuple[Any]]:
    """The values of the parameter ``name``, made by :func:`as_list`, for ``column.in_(...)``.

    The statement is the same however many there are.
    """
    values = sa.func.json_each(sa.bindparam(name, type_=sa.Text)).table_valued(
        sa.column("value", kind)
    )
    return sa.select(values.c.value)


def as_list(values: Iterable[Any]) -> str:
    """A list as a statement with :func:`in_list` takes it."""
    return json.dumps(list(values))


def placeholders(table: sa.Table, columns: Iterable[str]) -> dict[str, sa.BindParameter[Any]]:
    """A parameter for each of some columns, of the same name, for ``statement.values(...)``."""
    return {name: sa.bindparam(name, type_=table.c[name].type) for name in columns}


def update_by(table: sa.Table, keys: Sequence[str], columns: Sequence[str]) -> sa.Update:
    """Set ``columns`` where the ``keys`` are those given; each is a parameter of its name."""
    same = [table.c[key] == sa.bindparam(_KEY + key, type_=table.c[key].type) for key in keys]
    return sa.update(table).where(*same).values(placeholders(table, columns))


class CompiledRead:
    """A select whose rows come as the database has them: JSON as text, truth values as 0 and 1.

    Args:
        statement: with a parameter for each value.
    """

    def __init__(self, statement: sa.Select[Any]) -> None:
        compiled: Any = statement.compile(dialect=_DIALECT)
        self._text = str(compiled)
        self._names = compiled.positiontup
        # Some names are not fit for attributes; none of those is read by its name.
        row = namedtuple("Row", statement.selected_columns.keys(), rename=True)  # type: ignore[misc]
        self._as_row = row._make

    def rows(self, connection: sa.Connection, **values: Any) -> list[Any]:
        """All rows, for these values by parameter; their attributes are the columns.

        Raises:
            DBAPIError: of SQLAlchemy.
        """
        filled = tuple([values[name] for name in self._names])
        with_names = self._as_row
        return [with_names(row) for row in _execute(connection, self._text, filled)]


class CompiledWrite:
    """An insert or update that is run for many rows at once.

    Args:
        statement: with a parameter for each value.
    """

    def __init__(self, statement: sa.Insert | sa.Update) -> None:
        compiled: Any = statement.compile(dialect=_DIALECT)
        self._text = str(compiled)
        self._names = [name.removeprefix(_KEY) for name in compiled.positiontup]

    def run(self, connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run it for all of ``rows``, in their order; nothing happens without rows.

        Args:
            connection: in a transaction.
            rows: values by parameter, as the database has them: JSON as text.

        Raises:
            DBAPIError: of SQLAlchemy.
        """
        if filled := [tuple([row[name] for name in self._names]) for row in rows]:
            _execute(connection, self._text, filled, many=True)


def _execute(
    connection: sa.Connection, text: str, values: Sequence[Any], *, many: bool = False
) -> list[Any]:
    """Run it by the driver itself, in SQLAlchemy's transaction; all rows."""
    if not connection.in_transaction():
        connection.begin()
    driver: Any = connection.connection.dbapi_connection
    try:
        run = driver.executemany if many else driver.execute
        rows: list[Any] = run(text, values).fetchall()
    except sqlite3.Error as error:
        raise sa.exc.DBAPIError.instance(
            text, list(values), error, sqlite3.Error, dialect=_DIALECT, ismulti=many
        ) from error
    return rows
