"""Executors of the journal's batches: in this process, or in a process of their own.

``WriterProcess`` does the same as ``InProcessExecutor`` without taking the interpreter from the
matches: ``docs/design/003-the-journal.md`` has the figures. It costs some 60 MB of memory and half
a second to start, so only ``polynya serve`` and ``polynya tournament run`` use it.

Durability is the same: a result counts once the writer process has answered that it is on the disk.
If the game server is killed, the writer finishes its transaction and exits; it holds the lock for
playing until then. If the writer is killed while idle, it is started again. If it is killed with a
batch in hand, the outcome is unknown: the batch fails, which ends all matches, and the next start
finds out by reading.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe
from pickle import dumps, loads
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import sqlalchemy as sa

from polynya_common.errors import UnknownOutcomeError
from polynya_store.backends.backend import Fence, was_committed
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
"""Writes with their values, in order of execution."""


def _itself(value: Any) -> Any:
    return value


class _Unknown(NamedTuple):
    """A batch whose commit was not answered, with the number that finds it."""

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
        """Run a batch; retry once after an error, without doing anything twice.

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
        """Pack a value for :meth:`transact`."""

    def unpack(self, result: Any) -> Any:
        """Unpack a result of :meth:`transact`."""

    def transact(self, batch: Batch) -> list[Any]:
        """See :meth:`Transactions.run`; of packed values, with packed results."""


class InProcessExecutor:
    """Runs batches in the calling thread."""

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


MAIN = "polynya_store.writer.writer_process_main"
"""The main module of the writer process."""

_ENDS_WITHIN_S = 30.0
"""The transaction in hand may have to wait for another program that locks the database."""


class WriterProcess:
    """Runs batches in a writer process; :meth:`close` ends it.

    Args:
        database: opened for play; a lock that the process has to hold, too, it inherits.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._descriptors = tuple((database.play and database.play.shared_descriptors) or ())
        self._turn = threading.Lock()
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = Pipe()
        # -P: what lies in the working directory is not to be imported.
        words = [sys.executable, "-P", "-m", MAIN, str(theirs.fileno())]
        with theirs, _blocked():
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                words,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno(), *self._descriptors],
            )
        # Not in the words: others can read those, and a URL may have a password.
        self._pipe.send(self._database.address)

    def pack(self, value: Any) -> bytes:
        """A value as ``pickle`` writes it."""
        return dumps(value)

    def unpack(self, result: bytes) -> Any:
        """A result that ``pickle`` has written."""
        return loads(result)  # noqa: S301 - our own process wrote it

    def transact(self, batch: Batch) -> list[bytes]:
        """As ``Transactions.run``; waits for other threads' batches, and for the disk.

        Args:
            batch: functions of modules, and values as ``pickle`` writes them.

        Returns:
            the results, as ``pickle`` writes them.

        Raises:
            UnknownOutcomeError: the process has ended meanwhile.
        """
        with self._turn:
            if self._process.poll() is not None:
                self._pipe.close()
                self._start()
            try:
                self._pipe.send((batch, self._database.fence))
                outcome: list[bytes] | Exception = self._pipe.recv()
            except (EOFError, OSError) as error:
                raise UnknownOutcomeError(self._ended()) from error
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def close(self) -> None:
        """End the process; may be called twice. A batch stops when its caller stops waiting."""
        if self._turn.locked():
            self._process.kill()
        self._end()

    def _end(self) -> None:
        self._pipe.close()
        try:
            self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ended(self) -> str:
        self._end()
        code = self._process.returncode
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return (
            f"the process that writes the database {self._database.address} {how} in the middle of "
            "its work; start again: what was reported is recorded"
        )


@contextmanager
def _blocked() -> Iterator[None]:
    """Block signals for a process started in this context."""
    # Ctrl-C and a supervisor signal all processes of a service; this one decides when to end.
    stopped_by = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stopped_by)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
