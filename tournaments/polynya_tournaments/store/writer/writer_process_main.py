"""The process that writes the journal's batches: ``writer_process.py`` starts it and says why."""

from __future__ import annotations

import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import sqlalchemy as sa

from polynya_server.timing.collector import calm_collector
from polynya_tournaments.errors import StoreError
from polynya_tournaments.store.database_file import connect
from polynya_tournaments.store.writer.transactions import transact


def main(path: Path, pipe: Connection) -> None:
    """Carry out batches until the other process has closed the pipe, or is no more."""
    engine = connect(path)
    while True:
        try:
            pickled = pipe.recv()
        except (EOFError, OSError):
            return
        outcome = _outcome(engine, pickled)
        try:
            pipe.send(outcome)
        except OSError:
            return


def _outcome(engine: sa.Engine, pickled: Any) -> list[bytes] | Exception:
    """The pickled results of a batch, or the error that it failed with."""
    try:
        # Our own process wrote it.
        batch = [(write, [loads(value) for value in values]) for write, values in pickled]  # noqa: S301
        return [dumps(result) for result in transact(engine, batch)]
    except Exception as error:
        return _sendable(error)


def _sendable(error: Exception) -> Exception:
    """The error with its traceback as a note, or one that says the same if it cannot be pickled."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        loads(dumps(error))  # noqa: S301 - what was pickled just now
    except Exception:
        return StoreError(f"a write failed: {error!r}")
    return error


if __name__ == "__main__":
    with calm_collector():
        main(Path(sys.argv[1]), Connection(int(sys.argv[2])))
