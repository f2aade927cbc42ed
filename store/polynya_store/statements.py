"""Shared statements of repositories: compiled reads and writes, rows by name, and pages.

Reads that are run for every batch of matches are compiled once: SQLAlchemy takes longer to look up
their text and to describe their result than the database takes to run them.
``docs/design/003-the-journal.md`` has figures.
"""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Reason
from polynya_store import schema
from polynya_store.backends import sql


def in_list(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Select[tuple[Any]]:
    """The values of the parameter ``name``, made by :func:`as_list`, for ``column.in_(...)``.

    The statement is the same however many there are.
    """
    return sql.listed_values(name, kind)


def as_list(values: Iterable[Any]) -> str:
    """Encode a list for a statement with :func:`in_list`."""
    return json.dumps(list(values))


class _Compiled:
    """A statement's text and ordered parameter names, compiled once for each dialect."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str, Sequence[str]]] = {}

    def _text(self, dialect: sa.Dialect) -> tuple[str, Sequence[str]]:
        found = self._texts.get(dialect.name)
        if found is None:
            compiled: Any = self._statement(dialect).compile(dialect=dialect)
            names = self._names(compiled.positiontup)
            found = self._texts[dialect.name] = str(compiled), names
        return found

    def _statement(self, dialect: sa.Dialect) -> sa.ClauseElement:
        raise NotImplementedError

    def _names(self, parameters: Sequence[str]) -> Sequence[str]:
        """The names of the values that are given for parameters."""
        return parameters


class CompiledRead(_Compiled):
    """A select whose rows come as the database has them: JSON as text, truth values as 0 and 1.

    Args:
        statement: with a parameter for each value.
    """

    def __init__(self, statement: sa.Select[Any]) -> None:
        super().__init__()
        self._select = statement
        # Some names are not fit for attributes; none of those is read by its name.
        row = namedtuple("Row", statement.selected_columns.keys(), rename=True)  # type: ignore[misc]
        self._as_row = row._make

    def _statement(self, dialect: sa.Dialect) -> sa.ClauseElement:  # noqa: ARG002 - one for all
        return self._select

    def rows(self, connection: sa.Connection, **values: Any) -> list[Any]:
        """All rows, for these values by parameter; their attributes are the columns.

        Raises:
            DBAPIError: of SQLAlchemy.
        """
        text, names = self._text(connection.dialect)
        filled = tuple([values[name] for name in names])
        with_names = self._as_row
        return [with_names(row) for row in sql.execute(connection, text, filled)]


class CompiledWrite(_Compiled):
    """An insert or update that is run for many rows at once: see the functions that make one."""

    def __init__(self, write: sql.Write) -> None:
        super().__init__()
        self._write = write

    def _statement(self, dialect: sa.Dialect) -> sa.ClauseElement:
        return sql.statement_for(dialect, self._write)

    def _names(self, parameters: Sequence[str]) -> Sequence[str]:
        return sql.column_names(parameters)

    def run(self, connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run it for all of ``rows``, in their order.

        Args:
            connection: in a transaction.
            rows: values by column, as the database has them: JSON as text.

        Raises:
            DBAPIError: of SQLAlchemy.
        """
        text, columns = self._text(connection.dialect)
        sql.run(connection, self._write, text, columns, rows)


def insert_rows(table: sa.Table, columns: Iterable[str]) -> CompiledWrite:
    """Insert rows with these columns, in the order in which they are given."""
    return CompiledWrite(sql.Write(table, list(columns)))


def update_rows(table: sa.Table, keys: Sequence[str], columns: Sequence[str]) -> CompiledWrite:
    """Set ``columns`` where the ``keys`` are those given."""
    return CompiledWrite(sql.Write(table, [*columns, *keys], keys, columns, inserts=False))


def put_rows(table: sa.Table, keys: Sequence[str], *, keep: Sequence[str] = ()) -> CompiledWrite:
    """Insert rows with all columns, or replace those with the same keys, but for ``keep``."""
    columns = table.c.keys()
    changing = sorted(set(columns) - {*keys, *keep})
    return CompiledWrite(sql.Write(table, columns, keys, changing))


Row = TypeVar("Row")


class Cut(NamedTuple, Generic[Row]):
    """The rows of a page, and the places of its neighbours.

    Attributes:
        rows: at most the size of a page, in the order of the list.
        first: the first row, if there is a page before it; else None.
        last: the last row, if there is a page after it; else None.
    """

    rows: list[Row]
    first: Row | None
    last: Row | None


def cut(read: Sequence[Row], size: int, *, place: object, backwards: bool) -> Cut[Row]:
    """Cut a page from rows read from a place on, one more than the page holds.

    Args:
        read: at most ``size + 1`` rows; with ``backwards`` the last of the page first.
        size: how many rows a page has at the most.
        place: the place at which the reading began; None at the beginning of the list.
        backwards: whether the page ends before the place, instead of beginning after it.
    """
    rows, more = list(read[:size]), len(read) > size
    if backwards:
        rows.reverse()
    has_before, has_after = (more, True) if backwards else (place is not None, more)
    return Cut(
        rows,
        rows[0] if rows and has_before else None,
        rows[-1] if rows and has_after else None,
    )


def tournament_row(connection: sa.Connection, name: str) -> Any:
    """The row of a tournament.

    Raises:
        NotInStoreError: there is none of this name; the message lists those that there are.
    """
    table = schema.tournaments
    found = connection.execute(sa.select(table).where(table.c.name == name)).one_or_none()
    if found is None:
        names = connection.scalars(sa.select(table.c.name).order_by(table.c.name)).all()
        if not names:
            raise NotInStoreError(Reason.of("no_tournament_in_store", tournament=name))
        raise NotInStoreError(
            Reason.of("tournament_not_in_store", tournament=name, tournaments=names)
        )
    return found


def tournament_by_id(connection: sa.Connection, tournament_id: int) -> Any:
    """The row of a tournament."""
    table = schema.tournaments
    return connection.execute(sa.select(table).where(table.c.id == tournament_id)).one()
