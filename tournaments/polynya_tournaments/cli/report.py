"""``polynya tournament report``: what is published of a tournament."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_tournaments.cli.output import write_json, write_line, write_table
from polynya_tournaments.cli.parameters import DEFAULT_DATABASE, Json
from polynya_tournaments.errors import ConfigurationError, TournamentError
from polynya_tournaments.reports.contents import Report, gather
from polynya_tournaments.reports.csv_files import write_csv
from polynya_tournaments.reports.page import page
from polynya_tournaments.reports.tables import draws, headline, tables
from polynya_tournaments.store import Store
from polynya_tournaments.text import listed


def report(
    tournament: str | None = None,
    /,
    *,
    database: Path = DEFAULT_DATABASE,
    as_json: Json = False,
    csv_folder: Annotated[Path | None, Parameter(name="--csv")] = None,
    html_file: Annotated[Path | None, Parameter(name="--html")] = None,
) -> None:
    """Report a tournament: ratings with intervals, crosstable, seats, forfeits, every match.

    Needs numpy, scipy and matplotlib: pip install 'polynya[report]'. May be called while
    the tournament is played; seeds of set-ups that are still to be played
    stay secret. docs/ratings.md says what the numbers mean.

    Args:
        tournament: The tournament's name; may be left out if the database holds one only.
        database: The database file.
        as_json: Write JSON instead of tables.
        csv_folder: Write each table as a CSV file into this folder, too.
        html_file: Write one HTML file that needs nothing else, too.
    """
    with Store.open(database) as store:
        found = gather(store, _only(store) if tournament is None else tournament)
    if csv_folder is not None:
        write_csv(csv_folder, tables(found))
    if html_file is not None:
        _write_page(html_file, found)
    if as_json:
        write_json(dataclasses.asdict(found))
    else:
        _write_tables(found)


def _only(store: Store) -> str:
    names = [row.name for row in store.tournaments()]
    if len(names) == 1:
        return names[0]
    there_are = f"it holds {listed(names)}" if names else "it holds none"
    raise ConfigurationError(f"name a tournament of {store.path}: {there_are}")


def _write_page(file: Path, found: Report) -> None:
    try:
        file.write_text(page(found), encoding="utf-8")
    except OSError as error:
        raise TournamentError(f"{file} cannot be written: {error.strerror}") from error


def _write_tables(found: Report) -> None:
    write_line(f"{found.standings.tournament}: {headline(found)}")
    write_line(draws(found))
    for table in tables(found):
        if table.rows and not table.long:
            write_table(table.columns, table.rows, title=table.title)
