"""Writes a report as tidy data, in CSV files (RFC 4180).

Each row is an observation and each cell a value, numbers as numbers. A value that is not there is
an empty cell. Shares and probabilities are from 0 to 1.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause
from polynya_contest.pairing.tabulation import tally
from polynya_evidence.analysis import Analysis
from polynya_evidence.csv_cells import plain_cell
from polynya_evidence.reports.contents import Report, ScheduledMatch

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class DataTable:
    """One table: the name of its file, its headings, and its rows with a value for each."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def data_tables(report: Report) -> list[DataTable]:
    """All tables of a report."""
    return [
        _standings(report),
        _pairs(report.analysis),
        _superiority(report.analysis),
        _seats(report.analysis),
        _forfeits(report),
        *([_companions(report)] if report.analysis.companions else []),
        _matches(report),
        _match_seats(report),
    ]


def analysis_tables(analysis: Analysis) -> list[DataTable]:
    """The tables of an analysis alone, without a tournament's standings."""
    return [_ratings(analysis), _pairs(analysis), _superiority(analysis), _seats(analysis)]


def _ratings(analysis: Analysis) -> DataTable:
    return DataTable(
        "ratings",
        ("bot", "rating", "rating_low", "rating_high", "points", "expected", "possible"),
        tuple(
            (
                *(bot.name, _number(bot.rating.value), _number(bot.rating.low)),
                *(_number(bot.rating.high), bot.points, _number(bot.expected), bot.comparisons),
            )
            for bot in analysis.bots
        ),
    )


def _number(value: float | None, digits: int = 3) -> float | None:
    """Rounded; adding 0 makes 0 of -0."""
    return None if value is None else round(value, digits) + 0.0


def _standings(report: Report) -> DataTable:
    ratings = {bot.name: bot.rating for bot in report.analysis.bots}
    rows = report.standings.rows
    figures, counts = (rows[0].figures if rows else ()), tally(rows)
    return DataTable(
        "standings",
        (
            *("place", "bot", *figures, "rating", "rating_low", "rating_high", "points", "games"),
            *(counts[0] if counts else ()),
            "online",
        ),
        tuple(
            (
                *(row.place, row.name, *row.figures.values(), _number(ratings[row.name].value)),
                *(_number(ratings[row.name].low), _number(ratings[row.name].high)),
                *(row.points, row.games, *count.values(), _number(row.rating)),
            )
            for row, count in zip(rows, counts, strict=True)
        ),
    )


def _pairs(analysis: Analysis) -> DataTable:
    return DataTable(
        "pairs",
        ("bot", "opponent", "points", "expected", "possible"),
        tuple(
            (pair.bot, pair.opponent, pair.points, _number(pair.expected), pair.comparisons)
            for pair in analysis.pairs
        ),
    )


def _superiority(analysis: Analysis) -> DataTable:
    names = [bot.name for bot in analysis.bots]
    return DataTable(
        "superiority",
        ("bot", "other", "probability"),
        tuple(
            (name, other, _number(probability, 6))
            for name, row in zip(names, analysis.superiority, strict=True)
            for other, probability in zip(names, row, strict=True)
            if name != other
        ),
    )


def _seats(analysis: Analysis) -> DataTable:
    return DataTable(
        "seats",
        ("seat", "elo", "elo_low", "elo_high", "score"),
        tuple(
            (
                *(one.seat, _number(one.advantage.value), _number(one.advantage.low)),
                *(_number(one.advantage.high), _number(one.score, 6)),
            )
            for one in analysis.seats
        ),
    )


def _forfeits(report: Report) -> DataTable:
    return DataTable(
        "forfeits",
        ("match", "bot", "seat", "reason", "detail"),
        tuple(
            (one.match, one.bot, one.seat, one.reason, str(one.detail)) for one in report.forfeits
        ),
    )


def _companions(report: Report) -> DataTable:
    return DataTable(
        "companions",
        ("bot", "companion", "surplus", "standard_error", "blocks"),
        tuple(
            (one.bot, one.companion, _number(one.surplus, 6), _number(one.error, 6), one.blocks)
            for one in report.analysis.companions
        ),
    )


def _matches(report: Report) -> DataTable:
    return DataTable(
        "matches",
        ("number", "match", "seed", "state", "detail"),
        tuple(
            (one.number, one.match, one.seed, one.state, _words(one.detail))
            for one in report.pairings
        ),
    )


def _match_seats(report: Report) -> DataTable:
    return DataTable(
        "match_seats",
        ("number", "seat", "bot", "rank", "score", "online_before", "online_after"),
        tuple(row for pairing in report.pairings for row in _by_seat(pairing)),
    )


def _by_seat(pairing: ScheduledMatch) -> Iterator[tuple[Value, ...]]:
    for seat, bot in enumerate(pairing.players):
        rank = None if pairing.ranking is None else pairing.ranking[seat]
        score = None if pairing.scores is None else pairing.scores[seat]
        step = pairing.online[seat] if pairing.online else None
        before = None if step is None else _number(step.before.rating)
        after = None if step is None else _number(step.after.rating)
        yield pairing.number, seat, bot, rank, score, before, after


def _words(cause: Cause | None) -> str | None:
    return None if cause is None else str(cause)


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
