"""Many writes as one transaction: what a batch is, and how it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

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


class BatchExecutor(Protocol):
    """Carries batches out, in this process or in another one."""

    def pack(self, value: Any) -> Any:
        """A value as :meth:`transact` takes it."""

    def unpack(self, result: Any) -> Any:
        """The result that :meth:`transact` has returned packed."""

    def transact(self, batch: Batch) -> list[Any]:
        """See :func:`transact`; of packed values, with packed results."""


class InProcessExecutor:
    """Carries batches out in the thread that asks for it: the plain way."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def pack(self, value: Any) -> Any:
        """The value itself."""
        return value

    def unpack(self, result: Any) -> Any:
        """The result itself."""
        return result

    def transact(self, batch: Batch) -> list[Any]:
        """See :func:`transact`."""
        return transact(self._engine, batch)
