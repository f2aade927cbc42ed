"""The tables of a report as CSV files (RFC 4180), which spreadsheets take for nothing but text."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from polynya_tournaments.errors import TournamentError
from polynya_tournaments.reports.data_tables import DataTable, Value
from polynya_tournaments.text import printable

_FORMULA = ("=", "+", "-", "@")


def write_csv(folder: Path, tables: Sequence[DataTable]) -> None:
    """One file for each table in ``folder``, which is made if need be.

    Raises:
        TournamentError: a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            with (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(table.columns)
                writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    except OSError as error:
        raise TournamentError(f"{folder} cannot be written: {error.strerror}") from error


def _plain(cell: Value) -> Value:
    """Text that a spreadsheet would calculate begins with an apostrophe; numbers stay numbers."""
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
