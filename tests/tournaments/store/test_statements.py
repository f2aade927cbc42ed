"""Compiled statements: many rows at once, and rows as the database has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from polynya_tournaments.store.statements import (
    CompiledRead,
    CompiledWrite,
    as_list,
    in_list,
    placeholders,
    update_by,
)

things = sa.Table(
    "things",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, unique=True),
    sa.Column("weight", sa.Float),
    sa.Column("heavy", sa.Boolean),
    sa.Column("label", sa.JSON),
    sa.Column("picture", sa.LargeBinary),
)
INSERT = CompiledWrite(sa.insert(things).values(placeholders(things, things.c.keys())))
SELECT = CompiledRead(
    sa.select(things.c.id, things.c.name, things.c.weight, things.c.heavy, things.c.label).where(
        things.c.id.in_(in_list("ids", sa.Integer()))
    )
)
MANY = 777
SIZES = (0, 1, MANY)


@pytest.fixture
def connection() -> Iterator[sa.Connection]:
    engine = sa.create_engine("sqlite://")
    things.metadata.create_all(engine)
    with engine.connect() as connection:
        yield connection


def thing(number: int, **values: Any) -> dict[str, Any]:
    usual = {
        "name": f"thing {number}",
        "weight": number / 7,
        "heavy": number > 1,
        "label": '{"language":"C"}',
        "picture": bytes([number % 256, 0]),
    }
    return {"id": number, **usual, **values}


def stored(connection: sa.Connection) -> list[dict[str, Any]]:
    """All rows as the database has them, in the order in which they were written."""
    rows = connection.exec_driver_sql("SELECT * FROM things ORDER BY rowid").mappings()
    return [{**row, "heavy": bool(row["heavy"])} for row in rows]


@pytest.mark.parametrize("count", SIZES)
def test_every_row_is_written(connection: sa.Connection, count: int) -> None:
    rows = [thing(number) for number in range(count)]
    INSERT.run(connection, rows)
    assert rows == stored(connection)


def test_rows_are_written_in_the_order_given(connection: sa.Connection) -> None:
    numbered = CompiledWrite(sa.insert(things).values(placeholders(things, ["name", "weight"])))
    names = [f"thing {number * 5 % MANY}" for number in range(MANY)]
    numbered.run(connection, [{"name": name, "weight": 1.0} for name in names])
    assert names == [row["name"] for row in stored(connection)]


@pytest.mark.parametrize("count", SIZES)
def test_update_changes_only_rows_with_its_keys(connection: sa.Connection, count: int) -> None:
    INSERT.run(connection, [thing(number) for number in range(MANY + 1)])
    update = CompiledWrite(update_by(things, ["id", "name"], ["weight", "label"]))
    changed = [thing(number, weight=number / 3, label=None) for number in range(count)]
    wrong_name = [{**row, "name": "another"} for row in changed]
    update.run(connection, wrong_name)
    update.run(connection, changed)
    rest = [thing(number) for number in range(count, MANY + 1)]
    assert changed + rest == stored(connection)


def test_later_row_replaces_an_earlier_one_with_its_key(
    connection: sa.Connection,
) -> None:
    statement = insert(things).values(placeholders(things, things.c.keys()))
    put = CompiledWrite(
        statement.on_conflict_do_update(
            index_elements=["id"], set_={"weight": statement.excluded.weight}
        )
    )
    INSERT.run(connection, [thing(1, weight=1.0)])
    put.run(
        connection,
        [thing(number, weight=weight) for weight in (2.0, 3.0) for number in (1, 2)],
    )
    assert [thing(1, weight=3.0), thing(2, weight=3.0)] == stored(connection)


def test_conflict_amid_many_rows_is_an_error(connection: sa.Connection) -> None:
    rows = [thing(number) for number in range(100)] + [thing(100, name="thing 50")]
    with pytest.raises(sa.exc.IntegrityError) as error:
        INSERT.run(connection, rows)
    assert isinstance(error.value.orig, sqlite3.IntegrityError)
    assert str(error.value.orig) == "UNIQUE constraint failed: things.name"


def test_rows_come_as_the_database_has_them(connection: sa.Connection) -> None:
    INSERT.run(connection, [thing(1), thing(2, weight=None, label=None), thing(3)])
    rows = SELECT.rows(connection, ids=as_list([1, 2]))
    assert sorted(tuple(row) for row in rows) == [
        (1, "thing 1", 1 / 7, 0, '{"language":"C"}'),
        (2, "thing 2", None, 1, None),
    ]
    assert {row.name for row in rows} == {"thing 1", "thing 2"}


def test_reading_without_matching_rows_gives_none(connection: sa.Connection) -> None:
    assert SELECT.rows(connection, ids=as_list([1, 2])) == []
