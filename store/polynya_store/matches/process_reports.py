"""Reports of the host's processes in an open database, by match and by bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_common.process_report import ProcessReport, decode_report, encode_report
from polynya_store import schema
from polynya_store.database import Repository
from polynya_store.statements import CompiledRead, as_list, in_list, update_rows

_IDS = CompiledRead(
    sa.select(schema.matches.c.id, schema.matches.c.name).where(
        schema.matches.c.name.in_(in_list("names", sa.Text()))
    )
)
_NOTE = update_rows(schema.seats, ["match_id", "seat"], ["process"])


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """The report of a seat.

    Attributes:
        match: the match's id.
        seat: which.
        bot: the bot's name.
        finished_ms: when the match ended, in ms since 1970; None if it has not.
        report: see :class:`~polynya_common.process_report.ProcessReport`.
    """

    match: str
    seat: int
    bot: str
    finished_ms: int | None
    report: ProcessReport


def note(
    connection: sa.Connection, noted: Sequence[tuple[str, Mapping[int, ProcessReport]]]
) -> list[None]:
    """Record the reports of matches, by id and seat."""
    names = as_list(match for match, _ in noted)
    numbers = {row.name: row.id for row in _IDS.rows(connection, names=names)}
    rows = [
        {"match_id": numbers[match], "seat": seat, "process": encode_report(report).decode()}
        for match, reports in noted
        if match in numbers
        for seat, report in reports.items()
    ]
    _NOTE.run(connection, rows)
    return [None] * len(noted)


class ProcessReportRepository(Repository):
    """The recorded reports of processes.

    Args:
        database: where.
    """

    def of_bot(self, bot: str, most: int = 20) -> list[ProcessRow]:
        """The reports of a bot's last matches that have one, the last match first."""
        return self._rows(schema.bots.c.name == bot, most)

    def of_match(self, match: str) -> list[ProcessRow]:
        """The reports of a match, in the order of the seats."""
        return self._rows(schema.matches.c.name == match, None)

    def _rows(self, where: sa.ColumnElement[bool], most: int | None) -> list[ProcessRow]:
        seats, matches = schema.seats.c, schema.matches.c
        question = (
            sa.select(
                matches.name, seats.seat, schema.bots.c.name, matches.finished_ms, seats.process
            )
            .select_from(schema.seats.join(schema.matches).join(schema.bots))
            .where(where, seats.process.is_not(None))
            .order_by(seats.match_id.desc(), seats.seat)
            .limit(most)
        )
        with self._database.reading() as connection:
            return [_row(*row) for row in connection.execute(question)]


def _row(match: str, seat: int, bot: str, finished_ms: int | None, process: Any) -> ProcessRow:
    return ProcessRow(match, seat, bot, finished_ms, decode_report(process))
