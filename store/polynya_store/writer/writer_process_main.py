"""Main module of the writer process, which ``executors.py`` starts."""

from __future__ import annotations

import sys
import traceback
from multiprocessing.connection import Connection
from pickle import dumps, loads

from polynya_common.errors import StoreError
from polynya_server.timing.collector import calm_collector
from polynya_store.backends.backend import Fence, open_backend
from polynya_store.writer.executors import Batch, Transactions


def main(pipe: Connection) -> None:
    """Run batches until the other process closes the pipe or ends."""
    transactions = None
    while True:
        try:
            if transactions is None:
                transactions = Transactions(open_backend(pipe.recv()).engine)
            batch, fence = pipe.recv()
        except (EOFError, OSError):
            return
        outcome = _outcome(transactions, batch, fence)
        try:
            pipe.send(outcome)
        except OSError:
            return


def _outcome(
    transactions: Transactions, batch: Batch, fence: Fence | None
) -> list[bytes] | Exception:
    """The pickled results of a batch, or the error that it failed with."""
    try:
        return transactions.run(batch, fence, loads, dumps)  # our own process pickled it
    except Exception as error:
        return _sendable(error)


def _sendable(error: Exception) -> Exception:
    """The error with its traceback as a note, or an error of the same text if it has no pickle."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        loads(dumps(error))  # noqa: S301 - what was pickled just now
    except Exception:
        return StoreError(f"a write failed: {error!r}")
    return error


if __name__ == "__main__":
    with calm_collector():
        main(Connection(int(sys.argv[1])))
