"""Many writes as one transaction: what a batch is, and how it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

Value = TypeVar("Value")
Result = TypeVar("Result")
Write = Callable[[sa.Connection, Sequence[Value]], Sequence[Result]]
"""Writes many values in one transaction and returns a result for each."""

Batch = Sequence[tuple[Write[Any, Any], Sequence[Any]]]
"""Writes with their values, in the order in which they are to be carried out."""


def transact(engine: sa.Engine, batch: Batch) -> list[Any]:
    """Carry a batch out in a transaction of its own, which is durable when this returns.

    Returns:
        the results of all values, in their order.

    Raises:
        DBAPIError: of SQLAlchemy; nothing is written, as with any other error of a write.
    """
    results: list[Any] = []
    with engine.begin() as connection:
        for write, values in batch:
            results += write(connection, values)
    return results
