"""Many writes as one transaction: what a batch is, and how it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import sqlalchemy as sa

from polynya_store.backends.fence import Fence, was_committed
from polynya_store.database import Database

Value = TypeVar("Value")
Result = TypeVar("Result")
Write = Callable[[sa.Connection, Sequence[Value]], Sequence[Result]]
"""Writes many values in one transaction and returns a result for each."""


@dataclass(frozen=True, slots=True)
class OneByOne(Generic[Result]):
    """The :data:`Write` that calls a function of a module with the arguments in each value.

    It is a class, so that a value can be sent to the process that writes.
    """

    function: Callable[..., Result]

    def __call__(
        self, connection: sa.Connection, values: Sequence[tuple[Any, ...]]
    ) -> list[Result]:
        """The results, by value."""
        return [self.function(connection, *value) for value in values]


Batch = Sequence[tuple[Write[Any, Any], Sequence[Any]]]
"""Writes with their values, in the order in which they are to be carried out."""


def _itself(value: Any) -> Any:
    return value


class _Unknown(NamedTuple):
    """A batch whose commit was not answered: by the number of its transaction it can be found."""

    batch: Batch
    number: str
    results: list[Any]


class Transactions:
    """Carries batches out, each in a transaction that is durable when :meth:`run` returns."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._unknown: _Unknown | None = None

    def run(
        self,
        batch: Batch,
        fence: Fence | None,
        load: Callable[[Any], Any] = _itself,
        dump: Callable[[Any], Any] = _itself,
    ) -> list[Any]:
        """Carry a batch out; once more after an error, without doing twice what was done.

        Args:
            batch: as values that ``load`` reads.
            fence: what the transaction passes before it writes.
            load: reads a packed value.
            dump: packs a result.

        Returns:
            the results of all values, in their order.

        Raises:
            DBAPIError: of SQLAlchemy; nothing is written, or the connection was lost while the
                server committed: then the same batch is to be run again.
            FencedError: another server has taken over.
        """
        with self._engine.connect() as connection, connection.begin() as transaction:
            # The lock for writing is held: a lost transaction has ended, in one way or the other.
            if (done := self._committed(connection, batch)) is not None:
                return done
            number = None if fence is None else fence.enter(connection, brief=True)
            results: list[Any] = []
            for write, values in batch:
                results += map(dump, write(connection, [load(value) for value in values]))
            try:
                transaction.commit()
            except sa.exc.DBAPIError:
                if number is not None:
                    self._unknown = _Unknown(batch, number, results)
                raise
        return results

    def _committed(self, connection: sa.Connection, batch: Batch) -> list[Any] | None:
        """The results of a batch that was written although its commit was not answered."""
        unknown, self._unknown = self._unknown, None
        if unknown is None or unknown.batch != batch:
            return None
        try:
            found = was_committed(connection, unknown.number)
        except sa.exc.DBAPIError:
            self._unknown = unknown
            raise
        return unknown.results if found else None


class BatchExecutor(Protocol):
    """Carries batches out, in this process or in another one."""

    def pack(self, value: Any) -> Any:
        """A value as :meth:`transact` takes it."""

    def unpack(self, result: Any) -> Any:
        """The result that :meth:`transact` has returned packed."""

    def transact(self, batch: Batch) -> list[Any]:
        """See :meth:`Transactions.run`; of packed values, with packed results."""


class InProcessExecutor:
    """Carries batches out in the thread that asks for it: the plain way."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._transactions = Transactions(database.backend.engine)

    def pack(self, value: Any) -> Any:
        """The value itself."""
        return value

    def unpack(self, result: Any) -> Any:
        """The result itself."""
        return result

    def transact(self, batch: Batch) -> list[Any]:
        """See :meth:`Transactions.run`."""
        return self._transactions.run(batch, self._database.fence)
