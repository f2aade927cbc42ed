"""``polynya results``: results for other programs, and results of matches played elsewhere."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polynya_app.console.imports import import_into
from polynya_app.console.output import complain, write_line
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_contest.ratings.pool import System
from polynya_evidence.exchange.result_table import read_results, result_rows, text_of_table
from polynya_evidence.exchange.trf import trf16, trf26
from polynya_evidence.exchange.trf_contents import trf_contents
from polynya_store import Store
from polynya_tournaments.tournament.status import require_revealed

Format = Literal["csv", "trf16", "trf26"]
LARGEST_FILE = 64 * 2**20
"""Bytes; half a million results have no more."""


def export(
    tournament: str | None = None,
    /,
    *,
    file_format: Annotated[Format, Parameter(name="--format")] = "csv",
    to: Path | None = None,
    database: DatabaseFlag = DEFAULT_DATABASE,
    reveal: bool = False,
) -> None:
    """Write results as CSV or as a tournament report of FIDE (TRF).

    CSV has one match on each line, and 'polynya results import' reads it. Without
    a tournament it has all matches with a result, also those of the ladder, except
    those of tournaments whose results are hidden. TRF, in the version of 2016 or
    2026, describes a Swiss or round robin tournament of two-player matches.
    docs/data.md describes both.

    Args:
        tournament: Only the results of this tournament.
        file_format: csv, trf16 or trf26.
        to: The file to write.
        database: A file, or postgresql://USER@HOST/NAME.
        reveal: Export results even before ``results_from``.
    """
    with Store.open(database) as store:
        if tournament is not None:
            require_revealed(store, tournament, reveal=reveal)
        if file_format == "csv":
            text = _table(store, tournament, reveal=reveal)
        elif tournament is None:
            raise ConfigurationError("name the tournament: a TRF file has one")
        else:
            found = trf_contents(store, tournament)
            text = (trf16 if file_format == "trf16" else trf26)(found.tournament)
            for note in found.notes:
                complain(f"note: {note}")
    _write(text, to)


def _table(store: Store, tournament: str | None, *, reveal: bool) -> str:
    found = store.matches.find(tournament=tournament)
    text = io.StringIO(newline="")
    rows = result_rows(match for match in found if reveal or not match.hidden)
    csv.writer(text).writerows(rows)
    return text.getvalue()


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
    database: DatabaseFlag = DEFAULT_DATABASE,
    rating: System | None = None,
    as_json: Json = False,
) -> None:
    """Bring results of matches that were played elsewhere, and rate them.

    They are rated in the order of their times: if matches that ended later are
    rated already, all ratings are computed again. The command names a wrong
    line, and then imports nothing. Matches that the database has already are
    skipped, so the same file may be imported again. Unknown bots are added,
    without a token. A server may be running.

    Args:
        file: A CSV file; docs/data.md describes its columns.
        database: A file (created if missing), or postgresql://USER@HOST/NAME.
        rating: The rating system for a game and number of players without ratings so far.
        as_json: Write JSON instead of sentences.
    """
    found = read_results(_read(file), str(file))
    import_into(database, found, file.name, as_json=as_json, system=rating)


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise TournamentError(f"{file} has more than {LARGEST_FILE} bytes; divide it")
        return text_of_table(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
