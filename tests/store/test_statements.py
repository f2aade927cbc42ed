"""Compiled statements: many rows at once, and rows as the database has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress
from polynya_store.backends.backend import open_backend
from polynya_store.statements import (
    CompiledRead,
    as_list,
    in_list,
    insert_rows,
    put_rows,
    update_rows,
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
INSERT = insert_rows(things, things.c.keys())
SELECT = CompiledRead(
    sa.select(things.c.id, things.c.name, things.c.weight, things.c.heavy, things.c.label).where(
        things.c.id.in_(in_list("ids", sa.Integer()))
    )
)
MANY = 777
SIZES = (0, 1, MANY)


@pytest.fixture
def connection(address: DatabaseAddress) -> Iterator[sa.Connection]:
    if isinstance(address, Path):
        address.touch()
    engine = open_backend(address).engine
    with engine.connect() as connection:
        things.metadata.create_all(connection)
        yield connection
    engine.dispose()


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
    order = {"sqlite": "rowid", "postgresql": "ctid"}[connection.dialect.name]
    question = sa.text("SELECT * FROM things ORDER BY :order".replace(":order", order))
    return [{**row, "heavy": bool(row["heavy"])} for row in connection.execute(question).mappings()]


@pytest.mark.parametrize("count", SIZES)
def test_every_row_is_written(connection: sa.Connection, count: int) -> None:
    rows = [thing(number) for number in range(count)]
    INSERT.run(connection, rows)
    assert rows == stored(connection)


def test_rows_are_written_in_the_order_given(connection: sa.Connection) -> None:
    numbered = insert_rows(things, ["name", "weight"])
    names = [f"thing {number * 5 % MANY}" for number in range(MANY)]
    numbered.run(connection, [{"name": name, "weight": 1.0} for name in names])
    assert names == [row["name"] for row in stored(connection)]


@pytest.mark.parametrize("count", SIZES)
def test_update_changes_only_rows_with_its_keys(connection: sa.Connection, count: int) -> None:
    INSERT.run(connection, [thing(number) for number in range(MANY + 1)])
    update = update_rows(things, ["id", "name"], ["weight", "label"])
    changed = [thing(number, weight=number / 3, label=None) for number in range(count)]
    wrong_name = [{**row, "name": "another"} for row in changed]
    update.run(connection, wrong_name)
    update.run(connection, changed)
    rest = [thing(number) for number in range(count, MANY + 1)]
    assert changed + rest == sorted(stored(connection), key=lambda row: int(row["id"]))


def test_later_row_replaces_an_earlier_one_with_its_key(
    connection: sa.Connection,
) -> None:
    put = put_rows(things, ["id"], keep=["name", "heavy", "label", "picture"])
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
    assert re.search(r"UNIQUE constraint failed: things.name|Key \(name\)=", str(error.value.orig))


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
