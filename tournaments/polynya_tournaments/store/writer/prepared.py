"""Statements of the journal's transactions, made ready once, each of few steps.

Every match is written while others are played, and waits for it when it begins and ends. SQLAlchemy
takes five times as long to build a select and look up its text as to run it, three times as long to
fill in a row of an insert as SQLite takes to store it, and longer to hand a statement to the driver
than most of them take. So what is run for every batch is built when it is imported; lists of values
are given as one JSON text, so that the statement is the same however long they are; and rows and
statements go to the driver without SQLAlchemy.

Python's sqlite3 lets go of the interpreter at each step of a statement, and where another thread
takes it meanwhile, as the loop does if it is a thread that writes, that one has to give it back. So
many rows are written in one step, and all are read in one. A transaction of 100 matches begun and
100 recorded has 53 statements; with 256 rows in a step at most instead of 32 it had 30, stepped or
reset 70 times, and took as long; row by row, 3,500 times. Such a match took 85 µs to begin and 265
to record, 115 and 330 row by row; in batches of 15, 110 and 330, 155 and 400 before; a transaction
alone, 1.8 ms, 2.5 before.
"""

from __future__ import annotations

import json
import sqlite3
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

_DIALECT = sqlite.dialect()

_CHUNKS = (32, 16, 8, 4, 2, 1)
"""How many rows one step writes: few sizes, so that the connection keeps the statements compiled,
and none that takes a millisecond, so that others can have the processor between (giving_way.py).

Times the columns of a table they stay far below the 32,766 parameters that SQLite allows.
"""

_PART = float(2**62)


def listed(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Select[tuple[Any]]:
    """The values of the parameter ``name``, made by :func:`as_list`, for ``column.in_(...)``."""
    values = sa.func.json_each(sa.bindparam(name, type_=sa.Text)).table_valued(
        sa.column("value", kind)
    )
    return sa.select(values.c.value)


def as_list(values: Iterable[Any]) -> str:
    """A list as a statement with :func:`listed` takes it."""
    return json.dumps(list(values))


def placeholders(table: sa.Table, columns: Iterable[str]) -> dict[str, sa.BindParameter[Any]]:
    """A parameter for each of some columns, of the same name, for ``statement.values(...)``."""
    return {name: sa.bindparam(name, type_=table.c[name].type) for name in columns}


def update_by(table: sa.Table, keys: Sequence[str], columns: Sequence[str]) -> sa.Update:
    """Set ``columns`` where the ``keys`` are those given; each is a parameter of its name."""
    parameters = placeholders(table, (*keys, *columns))
    values = sa.values(*[sa.column(name, given.type) for name, given in parameters.items()])
    given = values.data([tuple(parameters.values())]).cte("given").c
    return (
        sa.update(table)
        .where(*[table.c[key] == given[key] for key in keys])
        .values({name: given[name] for name in columns})
    )


class PreparedRead:
    """A select whose rows come as the database has them: JSON as text, truth values as 0 and 1.

    They come as one JSON text, in no order. Floats come exactly: see :func:`_parts`.

    Args:
        statement: with a parameter for each value.
    """

    def __init__(self, statement: sa.Select[Any]) -> None:
        columns = statement.subquery().c
        row = sa.func.json_array(*[_parts(one) if _is_float(one) else one for one in columns])
        compiled: Any = sa.select(sa.func.json_group_array(row)).compile(dialect=_DIALECT)
        self._text = str(compiled)
        self._names = compiled.positiontup
        self._floats = [place for place, one in enumerate(columns) if _is_float(one)]
        self._row: Any = namedtuple("_Row", columns.keys())  # type: ignore[misc]

    def rows(self, connection: sa.Connection, **values: Any) -> list[Any]:
        """All rows, for these values by parameter; their attributes are the columns."""
        filled = tuple([values[name] for name in self._names])
        ((text,),) = _execute(connection, self._text, filled)
        found = msgspec.json.decode(text)
        for place in self._floats:
            for row in found:
                row[place] = _whole(row[place])
        return [self._row(*row) for row in found]


def _is_float(column: sa.ColumnElement[Any]) -> bool:
    return isinstance(column.type, sa.Float)


def _parts(value: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """A float as whole numbers: what is before its point, and 62 bits after it, and 62 more.

    JSON has them to the last bit, and floats as SQLite writes them has it not. Zero and what is
    between 1e-21 and 9e18 in size keeps all of its bits.
    """
    parts = []
    for _ in range(3):
        whole = sa.cast(value, sa.BigInteger)
        parts.append(whole)
        value = (value - whole) * sa.literal_column(f"{_PART:.0f}")
    return sa.func.json_array(*parts)


def _whole(parts: list[Any]) -> float | None:
    """The float whose :func:`_parts` these are, None for NULL."""
    before, first, second = parts
    return None if before is None else before + (first + second / _PART) / _PART


class PreparedWrite:
    """An insert or update that is run for many rows at once, in few steps.

    Args:
        statement: with a parameter for each value, in one row of ``VALUES``.
    """

    def __init__(self, statement: sa.Insert | sa.Update) -> None:
        compiled: Any = statement.compile(dialect=_DIALECT)
        names = compiled.positiontup
        row = f"({', '.join('?' * len(names))})"
        before, _, after = str(compiled).partition(row)
        self._texts = {size: before + ", ".join([row] * size) + after for size in _CHUNKS}
        self._values = itemgetter(*names)

    def run(self, connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Run it for all of ``rows``, in their order; nothing happens without rows.

        Args:
            connection: in a transaction.
            rows: values by parameter, as the database has them: JSON as text.
        """
        for chunk in _chunks([self._values(row) for row in rows]):
            _execute(connection, self._texts[len(chunk)], tuple(chain.from_iterable(chunk)))


def _chunks(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The same in order, as many at a time as a statement writes."""
    begin = 0
    for size in _CHUNKS:
        while len(rows) - begin >= size:
            yield rows[begin : begin + size]
            begin += size


def _execute(connection: sa.Connection, text: str, values: tuple[Any, ...]) -> list[Any]:
    """The rows; ``connection.exec_driver_sql`` takes longer than most of the statements.

    Raises:
        DBAPIError: of SQLAlchemy, made from the driver's error.
    """
    if not connection.in_transaction():
        connection.begin()
    driver: Any = connection.connection.driver_connection
    try:
        found: list[Any] = driver.execute(text, values).fetchall()
    except sqlite3.Error as error:
        raise sa.exc.DBAPIError.instance(
            text, None, error, sqlite3.Error, dialect=_DIALECT
        ) from error
    return found
