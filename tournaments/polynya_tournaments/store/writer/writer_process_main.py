"""The process that writes the journal's batches: ``writer_process.py`` starts it and says why."""

from __future__ import annotations

import os
import sys
import traceback
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from pickle import dumps, loads
from typing import Any

import sqlalchemy as sa

from polynya_server.timing.collector import calm_collector
from polynya_tournaments.errors import StoreError
from polynya_tournaments.store.database_file import connect
from polynya_tournaments.store.writer.giving_way import CourteousConnection, Courtesy
from polynya_tournaments.store.writer.keeping_off import keep_off
from polynya_tournaments.store.writer.transactions import transact


def main(path: Path, pipe: Connection) -> None:
    """Carry out batches until the other process has closed the pipe, or is no more."""
    courtesy, keep_off_the_loop = Courtesy(), keep_off(os.getppid())
    engine = connect(path, partial(CourteousConnection, courtesy))
    while True:
        try:
            pickled = pipe.recv()
        except (EOFError, OSError):
            return
        keep_off_the_loop()
        courtesy.begin()
        outcome = _outcome(engine, pickled, courtesy)
        try:
            pipe.send(outcome)
        except OSError:
            return


def _outcome(engine: sa.Engine, pickled: Any, courtesy: Courtesy) -> list[bytes] | Exception:
    """The pickled results of a batch, or the error that it failed with."""
    try:
        batch = [(write, [_read(value, courtesy) for value in values]) for write, values in pickled]
        return [dumps(result) for result in transact(engine, batch)]
    except Exception as error:
        return _sendable(error)


def _read(value: bytes, courtesy: Courtesy) -> Any:
    courtesy.give_way()
    return loads(value)  # noqa: S301 - our own process wrote it


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
