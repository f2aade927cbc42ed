"""Statements made ready once: many rows in few steps, the same as one after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects.sqlite import insert

from polynya_tournaments.store.writer.prepared import (
    PreparedRead,
    PreparedWrite,
    as_list,
    listed,
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
INSERT = PreparedWrite(sa.insert(things).values(placeholders(things, things.c.keys())))
SELECT = PreparedRead(
    sa.select(things.c.id, things.c.name, things.c.weight, things.c.heavy, things.c.label).where(
        things.c.id.in_(listed("ids", sa.Integer()))
    )
)
MORE_THAN_A_CHUNK = 777
SIZES = (0, 1, 2, 3, 255, 256, 257, MORE_THAN_A_CHUNK)


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
def test_all_rows_are_written_however_many_there_are(connection: sa.Connection, count: int) -> None:
    rows = [thing(number) for number in range(count)]
    INSERT.run(connection, rows)
    assert rows == stored(connection)


def test_rows_are_written_in_the_order_given(connection: sa.Connection) -> None:
    numbered = PreparedWrite(sa.insert(things).values(placeholders(things, ["name", "weight"])))
    names = [f"thing {number * 5 % MORE_THAN_A_CHUNK}" for number in range(MORE_THAN_A_CHUNK)]
    numbered.run(connection, [{"name": name, "weight": 1.0} for name in names])
    assert names == [row["name"] for row in stored(connection)]


@pytest.mark.parametrize("count", SIZES)
def test_an_update_changes_the_rows_with_its_keys_alone(
    connection: sa.Connection, count: int
) -> None:
    INSERT.run(connection, [thing(number) for number in range(MORE_THAN_A_CHUNK + 1)])
    update = PreparedWrite(update_by(things, ["id", "name"], ["weight", "label"]))
    changed = [thing(number, weight=number / 3, label=None) for number in range(count)]
    wrong_name = [{**row, "name": "another"} for row in changed]
    update.run(connection, wrong_name)
    update.run(connection, changed)
    rest = [thing(number) for number in range(count, MORE_THAN_A_CHUNK + 1)]
    assert changed + rest == stored(connection)


def test_a_key_that_comes_twice_in_one_step_is_replaced_by_the_later_row(
    connection: sa.Connection,
) -> None:
    statement = insert(things).values(placeholders(things, things.c.keys()))
    put = PreparedWrite(
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


def test_a_conflict_in_the_midst_of_a_chunk_is_an_error(connection: sa.Connection) -> None:
    rows = [thing(number) for number in range(100)] + [thing(100, name="thing 50")]
    with pytest.raises(sa.exc.IntegrityError) as error:
        INSERT.run(connection, rows)
    assert isinstance(error.value.orig, sqlite3.IntegrityError)
    assert str(error.value.orig) == "UNIQUE constraint failed: things.name"


def test_each_row_is_read_as_the_database_has_it(connection: sa.Connection) -> None:
    INSERT.run(connection, [thing(1), thing(2, weight=None, label=None), thing(3)])
    rows = SELECT.rows(connection, ids=as_list([1, 2]))
    assert sorted(tuple(row) for row in rows) == [
        (1, "thing 1", 1 / 7, 0, '{"language":"C"}'),
        (2, "thing 2", None, 1, None),
    ]
    assert {row.name for row in rows} == {"thing 1", "thing 2"}


def test_without_rows_none_are_read(connection: sa.Connection) -> None:
    assert SELECT.rows(connection, ids=as_list([1, 2])) == []


@given(st.text(st.characters(exclude_categories=["Cs"])))
@settings(deadline=None)
def test_text_is_read_as_it_was_written(text: str) -> None:
    assert written_and_read(name=text).name == text


@given(
    st.one_of(
        st.floats(1e-21, 9e18), st.floats(-9e18, -1e-21), st.floats(-4000, 4000), st.just(0.0)
    ).filter(lambda value: value == 0 or abs(value) >= 1e-21)
)
@settings(deadline=None)
def test_a_float_is_read_to_the_last_bit(weight: float) -> None:
    assert written_and_read(weight=weight).weight == weight


def written_and_read(**values: Any) -> Any:
    """The one row of a table that had these values."""
    engine = sa.create_engine("sqlite://")
    things.metadata.create_all(engine)
    with engine.connect() as connection:
        INSERT.run(connection, [thing(1, **values)])
        (row,) = SELECT.rows(connection, ids=as_list([1]))
    return row
