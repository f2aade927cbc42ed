"""``polynya db``: back up, restore, copy and prune databases."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from polynya_app.commands.records.report import key_file
from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_common.database_address import DatabaseAddress, DatabaseUrl
from polynya_common.errors import ConfigurationError
from polynya_common.text import join_words
from polynya_store import Store
from polynya_store.backends.sqlite.backend import lock_for_play
from polynya_store.backends.sqlite.files import (
    Vacuumed,
    back_up,
    check_room,
    restore,
    vacuum,
)
from polynya_store.imports.copied_database import copy_database
from polynya_store.matches.match_repository import find_old, remove_old
from polynya_store.schema_upgrade import HEAD, OlderSchemaError

_MOST_DAYS = 36_500
_DAY_MS = 24 * 60 * 60 * 1000


def backup(
    file: Path, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """Copy a database into one file, also while a server or tournament uses it.

    The copy is the database at one moment. Its file appears when it is complete
    and checked. The command names the files that are not in it: copy these, too.

    Args:
        file: The new file.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of sentences.
    """
    matches = back_up(_file(database), file)
    keys = [str(key) for key in [key_file(database)] if key.exists()]
    if as_json:
        write_json({"file": str(file), "matches": matches, "keys": keys})
        return
    write_line(f"{file} has all that {database} holds: {matches} matches, their replays, all bots.")
    for key in keys:
        write_line(f"Not in it: {key}, the key that signs your reports. Copy it to a safe place.")
    write_line(
        "Not in it: your settings, descriptions of tournaments, TLS keys, and files of bots that "
        "you host."
    )


def restore_database(
    file: Path, /, *, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False
) -> None:
    """Restore a lost database from a backup.

    An existing database, or a part of one, is never overwritten: move it first.
    Matches that were in play at the time of the backup are played again.

    Args:
        file: The file that 'polynya db backup' made; it does not change.
        database: The new database file.
        as_json: Write JSON instead of a sentence.
    """
    matches = restore(file, _file(database))
    with Store.open(database, for_play=True) as store:
        voided = store.voided_matches
        for note in store.opening_notes:
            complain(note)
        store.begin_new_secrets()
    if as_json:
        write_json({"database": str(database), "matches": matches, "in_play": voided})
        return
    write_line(
        f"{database} is as it was at the backup: {matches} matches, {voided} of them in play."
    )


def restored(*, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """Begin new secrets after PostgreSQL's own tools restored a database.

    Matches after the backup are played a second time, and their set-ups may have
    been seen. So tournaments that are not over, and the ladders of this month, get
    new secrets; publish the new commitments. 'polynya db restore' does this itself.
    No server or tournament may be using the database.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of sentences.
    """
    with Store.open(database, for_play=True) as store:
        for note in store.opening_notes:
            complain(note)
        names = store.begin_new_secrets()
    if as_json:
        write_json({"database": str(database), "tournaments": names})
        return
    of_them = f", and of {join_words(names)}" if names else ""
    write_line(f"The ladders{of_them} in {database} follow from new secrets.")


def secrets(*, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """Show the commitments of ladders, and the secrets of past months.

    All set-ups of a month's ladder matches follow from its secret. It comes out
    when the month is over (UTC) and its last match has ended; a server that plays
    does this, and so does this command.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        store.ladder.bring_out_secrets()
        found = store.ladder.public_secrets()
    if as_json:
        write_json(msgspec.to_builtins(found))
        return
    write_table(
        ["month", "commitment", "secret"],
        [(one.month or "", one.commitment, one.secret or "not out yet") for one in found],
    )


def upgrade(*, database: DatabaseFlag = DEFAULT_DATABASE, as_json: Json = False) -> None:
    """Bring a database of an older version of Polynya up to date.

    Servers and tournaments do so when they start; commands that read never do.
    No server or tournament may be using the database.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a sentence.
    """
    try:
        Store.open(database).close()
    except OlderSchemaError:
        with Store.open(database, for_play=True) as store:
            for note in store.opening_notes:
                complain(note)
    if as_json:
        write_json({"database": str(database), "schema": HEAD})
        return
    write_line(f"{database} is up to date.")


def copy(source: DatabaseFlag, target: DatabaseFlag, /, *, as_json: Json = False) -> None:
    """Copy a contest into an empty database: onto a server, or into a file.

    No server or tournament may be using either. The command compares the numbers
    of rows, all replays, and ratings computed again; if they differ, it writes
    nothing.

    Args:
        source: A file, or postgresql://USER@HOST/NAME; it does not change.
        target: A new file, or a database on a server without tables.
        as_json: Write JSON instead of sentences.
    """
    copied = copy_database(source, target)
    if as_json:
        write_json({"from": str(source), "to": str(target), **copied._asdict()})
        return
    write_line(
        f"{target} has all that {source} holds: {copied.rows['matches']} matches, "
        f"{copied.rows['replays']} replays, {copied.rows['bots']} bots; compared, and equal."
    )
    write_line(
        "Not in it: logs, keys that sign reports, and the files of programs that authors uploaded."
    )


_OWN_TOOLS = "use pg_dump and pg_restore, which docs/postgresql.md shows"
_SHRINKS_ITSELF = (
    "it uses the room of removed rows again by itself, and gives it back to the disk after "
    "VACUUM FULL in psql; prune it without --shrink"
)


def _file(database: DatabaseAddress, remedy: str = _OWN_TOOLS) -> Path:
    """The file of a database; a database on a server is refused."""
    if isinstance(database, DatabaseUrl):
        raise ConfigurationError(f"{database} is on a PostgreSQL server: {remedy}")
    return database


def prune(
    *,
    keep_replays_days: Annotated[Number, Parameter(name="--keep-replays-days")],
    yes: bool = False,
    shrink: bool = False,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Remove old replays of ladder matches; first print how many there are.

    Results, ratings and all that tournaments need stay. Without --yes the command
    removes nothing. A server may be running. The file keeps its size, with free
    space for later matches; with --shrink it becomes smaller.

    Args:
        keep_replays_days: Keep the replays of matches that ended in the last DAYS days.
        yes: Remove them.
        shrink: Then write the file anew without free space; no server may be running.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of sentences.
    """
    if keep_replays_days > _MOST_DAYS:
        raise ConfigurationError(
            f"--keep-replays-days is {keep_replays_days}; the most is {_MOST_DAYS}"
        )
    before_ms = time.time_ns() // 1_000_000 - keep_replays_days * _DAY_MS
    file = _file(database, _SHRINKS_ITSELF) if shrink else None
    with Store.open(database) as store, _nobody_plays(file) if yes else nullcontext():
        old = find_old(store.database, before_ms)
        if file is not None:
            check_room(file, old.size)
        removed = remove_old(store.database, before_ms) if yes else 0
        vacuumed = None if file is None or not yes else vacuum(file)
    if as_json:
        sizes = {} if vacuumed is None else {"before": vacuumed.before, "after": vacuumed.after}
        write_json({"replays": old.replays, "bytes": old.size, "removed": removed, **sizes})
        return
    found = f"{old.replays} replays of ladder matches are older ({old.size / 1e6:.1f} MB)"
    done = f"{removed} are removed" if yes else "--yes removes them, nothing is removed yet"
    write_line(f"{found}: {done}." if old.replays else "No replay of a ladder match is older.")
    if vacuumed is not None:
        write_line(_shrunk(vacuumed))
    elif shrink:
        write_line("--yes makes the file smaller, too; it keeps its size yet.")


def _nobody_plays(file: Path | None) -> AbstractContextManager[object]:
    """Claim a file that is written anew, so that no server uses it."""
    return nullcontext() if file is None else closing(lock_for_play(file))


def _shrunk(vacuumed: Vacuumed) -> str:
    sizes = f"{vacuumed.before / 1e6:.1f} MB before, {vacuumed.after / 1e6:.1f} MB now"
    if vacuumed.is_read:
        return f"The file is written anew: {sizes}; more when programs that read it now have ended."
    return f"The file is written anew: {sizes}."
