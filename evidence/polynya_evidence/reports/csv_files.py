"""The tables of a report as CSV files (RFC 4180)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from polynya_common.errors import TournamentError
from polynya_evidence.csv_cells import plain_cell
from polynya_evidence.reports.data_tables import DataTable


def write_csv(folder: Path, tables: Sequence[DataTable]) -> None:
    """One file for each table in ``folder``, which is made if missing.

    Raises:
        TournamentError: a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            with (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(table.columns)
                writer.writerows([plain_cell(cell) for cell in row] for row in table.rows)
    except OSError as error:
        raise TournamentError(f"{folder} cannot be written: {error.strerror}") from error
