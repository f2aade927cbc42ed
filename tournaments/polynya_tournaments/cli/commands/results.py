"""``polynya results``: results for other programs, and results of matches played elsewhere."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from polynya_tournaments.cli.console.imports import import_into
from polynya_tournaments.cli.console.output import write_line
from polynya_tournaments.cli.flags.parameters import DEFAULT_DATABASE, Json
from polynya_tournaments.errors import ConfigurationError, TournamentError
from polynya_tournaments.exchange.result_table import read_results, result_rows
from polynya_tournaments.ratings.model import System
from polynya_tournaments.store import Store
from polynya_tournaments.tournament.embargo import require_revealed

LARGEST_FILE = 64 * 2**20
"""Bytes; half a million results have no more."""


def export(
    tournament: str | None = None,
    /,
    *,
    to: Path | None = None,
    database: Path = DEFAULT_DATABASE,
    reveal: bool = False,
) -> None:
    """Write results as CSV, one match a line, to standard output or into a file.

    Without a tournament all matches of the database that have a result, those of the ladder too;
    tournaments whose results are hidden for now are left out. 'polynya results import' reads the
    file. docs/data.md describes it.

    Args:
        tournament: Only the matches of this one.
        to: The file to write.
        database: The database file.
        reveal: Tell results before the time from which on the description lets them be told.
    """
    with Store.open(database) as store:
        if tournament is not None:
            require_revealed(store, tournament, reveal=reveal)
        found = store.matches.find(tournament=tournament)
    rows = result_rows(match for match in found if reveal or not match.hidden)
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    _write(text.getvalue(), to)


def _write(text: str, to: Path | None) -> None:
    if to is None:
        sys.stdout.write(text.replace("\r\n", "\n"))
        return
    try:
        to.write_bytes(text.encode())
    except OSError as error:
        raise TournamentError(f"{to} cannot be written: {error.strerror}") from error
    write_line(f"written to {to}")


def import_results(
    file: Path,
    /,
    *,
    database: Path = DEFAULT_DATABASE,
    rating: System | None = None,
    as_json: Json = False,
) -> None:
    """Bring results of matches that were played elsewhere into a database, and rate them.

    They are rated in the order of their times: if matches that ended later are rated already, all
    ratings are computed again. A wrong line is named, and then nothing is imported. What is in
    the database already is left out, so that the same file may be imported again. Bots that are
    not known are added, without a token. A server may be running.

    Args:
        file: A CSV file; docs/data.md says which columns it has.
        database: The database file; it is made if there is none.
        rating: How matches are rated of a game and a number of players that have no ratings yet.
        as_json: Write JSON instead of sentences.
    """
    found = read_results(_read(file), str(file))
    import_into(database, found, file.name, as_json=as_json, system=rating)


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise TournamentError(f"{file} has more than {LARGEST_FILE} bytes; divide it")
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TournamentError(f"{file} is not UTF-8: byte {error.start} is wrong") from error
