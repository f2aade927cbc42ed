"""``polynya tournament report``: the report of a tournament, as tables, files and a bundle."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json
from polynya_common.database_address import DatabaseAddress, DatabaseUrl, beside
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.text import join_words
from polynya_evidence.bundles.bundle_writer import write_bundle
from polynya_evidence.bundles.signing import public_text, signing_key
from polynya_evidence.reports.contents import Report, report_of
from polynya_evidence.reports.data_tables import data_tables, write_csv
from polynya_evidence.reports.evidence import evidence_of
from polynya_evidence.reports.page import page
from polynya_evidence.reports.tables import (
    draws,
    headline,
    narrowing_sentence,
    sandbox_sentence,
    tables,
)
from polynya_evidence.reports.workers import worker_doubt
from polynya_store import Store
from polynya_tournaments.tournament.status import require_revealed

LONGEST_EMBEDDED = 24 * 2**20
"""Browsers take no longer file out of a page: 32 MiB in base64."""


def report(
    tournament: str | None = None,
    /,
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
    csv_folder: Annotated[Path | None, Parameter(name="--csv")] = None,
    html_file: Annotated[Path | None, Parameter(name="--html")] = None,
    bundle: Path | None = None,
    key: Path | None = None,
    reveal: bool = False,
) -> None:
    """Report a tournament: ratings, crosstable, seats, forfeits, every match.

    The command needs numpy: pip install 'polynya[host]', or 'polynya[report]'.
    The tournament may be running; seeds of set-ups that are not yet played stay
    secret. docs/ratings.md explains the numbers.

    Args:
        tournament: The tournament's name; may be left out if the database holds one only.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of tables.
        csv_folder: Also write each table as a CSV file into this folder.
        html_file: Also write the report as one self-contained HTML file; it includes the bundle
            when the tournament is over.
        bundle: When the tournament is over, also write a ZIP file with all replays and results
            and a signed manifest; 'polynya tournament verify' checks it.
        key: The file of the signing key, created at its first use; default: DATABASE.key.
        reveal: Show results even before ``results_from``.
    """
    with Store.open(database) as store:
        name = _only(store) if tournament is None else tournament
        require_revealed(store, name, reveal=reveal)
        evidence = evidence_of(store, name)
        found = report_of(evidence)
        doubt = worker_doubt(store, evidence)
        packed = None
        if bundle is not None or (html_file is not None and found.standings.complete):
            packed = write_bundle(store, evidence, found, signing_key(key or key_file(database)))
    if doubt:
        complain(doubt)
    if csv_folder is not None:
        write_csv(csv_folder, data_tables(found))
    if bundle is not None and packed is not None:
        _write(bundle, packed)
    if html_file is not None:
        _write(html_file, page(found, _embedded(packed)).encode())
    if as_json:
        write_json(dataclasses.asdict(found))
    else:
        _write_tables(found)
        for written in filter(None, (csv_folder, bundle, html_file)):
            write_line(f"written to {written}")


def key_file(database: DatabaseAddress) -> Path:
    """The file of the host's key for this database, unless another one is named."""
    if isinstance(database, DatabaseUrl):
        return beside(database, ".key")
    return database.with_name(f"{database.name}.key")


def keygen(
    *, database: DatabaseFlag = DEFAULT_DATABASE, key: Path | None = None, as_json: Json = False
) -> None:
    """Print the public half of the key that signs bundles; create it if missing.

    Publish it before the contest: 'polynya tournament verify --public-key' holds
    a bundle to it. Keep the key itself secret: with the file
    other people can sign in the host's name.

    Args:
        database: A file, or postgresql://USER@HOST/NAME; the key is DATABASE.key or NAME.key.
        key: The key's file, if it is elsewhere.
        as_json: Write the public half, and where the key is, as JSON.
    """
    file = key or key_file(database)
    public = public_text(signing_key(file))
    if as_json:
        write_json({"public_key": public, "key_file": str(file)})
    else:
        write_line(public)


def _embedded(packed: bytes | None) -> bytes | None:
    """The part of a bundle that goes into the page."""
    if packed is not None and len(packed) > LONGEST_EMBEDDED:
        complain("the bundle is too large for a page: publish it beside it, with --bundle")
        return None
    return packed


def _only(store: Store) -> str:
    names = [row.name for row in store.tournaments.all()]
    if len(names) == 1:
        return names[0]
    there_are = f"it holds {join_words(names)}" if names else "it holds none"
    raise ConfigurationError(f"name a tournament of {store.address}: {there_are}")


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise TournamentError(f"{file} cannot be written: {error.strerror}") from error


def _write_tables(found: Report) -> None:
    write_line(f"{found.standings.tournament}: {headline(found)}")
    unplayed = map(str, found.standings.unplayed)
    said = [sandbox_sentence(found), draws(found.analysis), narrowing_sentence(found)]
    for sentence in filter(None, [*unplayed, *said]):
        write_line(sentence)
    for table in tables(found):
        if table.rows and not table.long:
            write_table(table.columns, table.rows, title=table.title)
            if table.note:
                write_line(table.note)
