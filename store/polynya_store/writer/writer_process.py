"""The process that writes the journal's batches, seen from the process that plays the matches.

The same as ``InProcessExecutor`` does, without taking the interpreter from the matches:
``docs/design/003-the-journal.md`` has the figures. The price is some 60 MB of memory, and half a
second until the process has begun; so it is for those who play many matches: ``polynya serve`` and
``polynya tournament run``.

Durability is the same: a result counts when the other process has answered that it is on the disk.
When this process is killed, the other one ends the transaction that it is in, and then itself; it
has the lock for playing until then. When the other one is killed while it has nothing to do, it is
started again. When it is killed with a batch in hand, it is unknown whether that was written: the
batch fails, which ends what is played, and the next start finds out by reading.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from pickle import dumps, loads
from typing import Any

from polynya_common.errors import UnknownOutcomeError
from polynya_store.database import Database
from polynya_store.writer.transactions import Batch

MAIN = "polynya_store.writer.writer_process_main"
"""The module that runs in it."""

_ENDS_WITHIN_S = 30.0
"""The transaction in hand may have to wait for another program that locks the database."""


class WriterProcess:
    """Keeps the process running; :meth:`close` ends it.

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
        """Let it end; may be called twice. A batch is broken off when its caller waits no more."""
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
    """A process that is started inside inherits that these signals do not reach it."""
    # Ctrl-C and a supervisor signal all processes of a service; this one decides when to end.
    stopped_by = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stopped_by)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
