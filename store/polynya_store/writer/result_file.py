"""Keeps results in a file when the process must end before the database takes them.

It is in the first folder that takes it (see :mod:`polynya_store.writer.result_folders`). Its name
begins with the database's name and number, by which the next start finds it and records the results
whose matches still wait. In it are replay documents, each after its length (4 bytes, big-endian);
an incomplete document is the last, and was not reported.
"""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import struct
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import StoreError
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import schema
from polynya_store.matches import match_recording
from polynya_store.writer.result_folders import result_folders

_ENDING = ".unrecorded"
_LENGTH = struct.Struct(">I")


class ResultFile:
    """The file for results of one process that its database does not take.

    Args:
        database: where the database is.
        number: the database's own number.

    Attributes:
        paths: the files that were written, the last one is written on.
        results: how many results are in them.
    """

    def __init__(self, database: DatabaseAddress, number: int) -> None:
        self.paths: list[Path] = []
        self.results = 0
        self._database = database
        self._number = number
        self._lock = threading.Lock()

    def keep(self, document: bytes) -> None:
        """Keep a replay document; it is on the disk when this returns.

        Raises:
            StoreError: no folder takes it.
        """
        data = _LENGTH.pack(len(document)) + document
        with self._lock:
            if not (self.paths and _append(self.paths[-1], data)):
                self.paths.append(self._begin(data))
            self.results += 1

    def _begin(self, data: bytes) -> Path:
        """A new file with this content."""
        problems: list[str] = []
        for folder in result_folders(self._database):
            try:
                return self._begin_in(folder, data)
            except OSError as error:
                problems.append(f"{folder}: {error.strerror}")
        raise StoreError(f"a result is lost, no folder takes it ({'; '.join(problems)})")

    def _begin_in(self, folder: Path, data: bytes) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        # It makes a new file that no other user may read or write.
        number, name = tempfile.mkstemp(_ENDING, _beginning(self._database, self._number), folder)
        os.close(number)
        if not _append(Path(name), data):
            Path(name).unlink()
            raise OSError(0, "it is full")
        return Path(name)


@dataclass(frozen=True, slots=True)
class FoundResults:
    """A file of an earlier process.

    Attributes:
        path: the file.
        documents: the replay documents in it.
    """

    path: Path
    documents: list[bytes]

    def set_aside(self) -> Path:
        """Rename the file so that it is not found again; return its new path."""
        with contextlib.suppress(OSError):
            return self.path.rename(self.path.with_suffix(".kept"))
        return self.path

    def remove(self) -> None:
        """Remove the file; if that fails it is found again, which does no harm."""
        with contextlib.suppress(OSError):
            self.path.unlink()


def find_results(database: DatabaseAddress, number: int) -> list[FoundResults]:
    """The files that earlier processes have left for a database; see :class:`ResultFile`."""
    pattern = f"{glob.escape(_beginning(database, number))}*{_ENDING}"
    paths: dict[Path, None] = {}
    for folder in result_folders(database):
        with contextlib.suppress(OSError):  # this user may not look into it
            paths |= dict.fromkeys(sorted(folder.resolve().glob(pattern)))
    return [FoundResults(path, list(_documents(data))) for path in paths if (data := _read(path))]


def _beginning(database: DatabaseAddress, number: int) -> str:
    return f"{database.name}-{number:08x}-"


def _append(path: Path, data: bytes) -> bool:
    """Append to a file, or leave it unchanged; return whether it is on the disk."""
    try:
        with path.open("r+b", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                written = file.write(data)
                if written == len(data):
                    os.fsync(file.fileno())
                    return True
            except OSError:
                pass
            file.truncate(before)
    except OSError:
        pass
    return False


def _read(path: Path) -> bytes:
    """Read a file of this user; empty for others' files, which may be traps."""
    try:
        with open(path, "rb", opener=_open_no_trap) as file:  # which closes it if it is a folder
            found = os.fstat(file.fileno())
            is_ours = not hasattr(os, "geteuid") or found.st_uid in (0, os.geteuid())
            return file.read() if is_ours and stat.S_ISREG(found.st_mode) else b""
    except OSError:
        return b""


def _open_no_trap(path: str, flags: int) -> int:
    """Open without following links or blocking on a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _documents(data: bytes) -> Iterator[bytes]:
    position = 0
    while position + _LENGTH.size <= len(data):
        [length] = _LENGTH.unpack_from(data, position)
        position += _LENGTH.size
        if position + length > len(data):
            return
        yield data[position : position + length]
        position += length


@dataclass(frozen=True, slots=True)
class KeptResults:
    """The outcome of recording the results in a file.

    Attributes:
        recorded: how many are recorded now.
        known: how many had been recorded before.
        foreign: how many belong to no match of the database, or cannot be read.
    """

    recorded: int
    known: int
    foreign: int


def record_kept(connection: sa.Connection, documents: Sequence[bytes]) -> KeptResults:
    """Record kept results, in the order in which the matches ended, as if they came now.

    A result that is there already is left as it is, so a file may be read twice.

    Args:
        connection: in a transaction, before what is in play is declared void.
        documents: replays.
    """
    records = sorted(_decoded(documents), key=lambda record: record.finished_ms)
    in_play, known = [], 0
    for record in {record.setup.match: record for record in records}.values():
        row = _match(connection, record.setup.match)
        if row is None or row.players != list(record.setup.players):
            continue
        if row.reason is None:
            in_play.append(record)
        elif (row.reason, row.finished_ms) == (record.reason, record.finished_ms):
            known += 1
    match_recording.finish_matches(connection, in_play)
    return KeptResults(len(in_play), known, len(documents) - len(in_play) - known)


def _decoded(documents: Iterable[bytes]) -> Iterable[MatchRecord]:
    for document in documents:
        with suppress(ValueError):  # counted as foreign
            yield decode_replay(document)


@dataclass(frozen=True, slots=True)
class _Match:
    reason: str | None
    finished_ms: int | None
    players: list[str]


def _match(connection: sa.Connection, name: str) -> _Match | None:
    matches, seats, bots = schema.matches, schema.seats, schema.bots
    rows: Sequence[Any] = connection.execute(
        sa.select(matches.c.reason, matches.c.finished_ms, bots.c.name)
        .select_from(matches.join(seats, seats.c.match_id == matches.c.id).join(bots))
        .where(matches.c.name == name)
        .order_by(seats.c.seat)
    ).all()
    if not rows:
        return None
    return _Match(rows[0].reason, rows[0].finished_ms, [row.name for row in rows])
