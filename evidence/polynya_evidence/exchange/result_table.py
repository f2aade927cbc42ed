"""Writes and reads results as CSV, with one match per line and the same columns both ways.

The columns of a seat end in its number: ``bot_0``, ``rank_0``, ``score_0``, ``forfeit_0``.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn, get_args

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.text import join_words, moment, moment_ms
from polynya_evidence.csv_cells import plain_text, text_of_cell
from polynya_games import GameError, load
from polynya_games.game import MOST_PLAYERS
from polynya_protocol.errors import printable
from polynya_protocol.messages import ForfeitReason
from polynya_store import MatchRow
from polynya_store.imports.imported_matches import ForeignMatch, ForeignSeat

OF_MATCH = ("match", "finished", "game", "rated", "imported")
OF_SEAT = ("bot", "rank", "score", "forfeit")
NEEDED = ("finished", "game", "bot_0", "bot_1", "rank_0", "rank_1")

_COLUMN = re.compile(rf"(?:{'|'.join(OF_SEAT)})_([0-9]{{1,2}})")
_MATCH_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_NUMBER = re.compile(r"-?[0-9]{1,15}")
_REASONS = get_args(ForfeitReason)
_TRUTH = {"": True, "true": True, "false": False}


def result_rows(matches: Iterable[MatchRow]) -> list[list[str]]:
    """The table of matches with a result: its headings, then a line for each."""
    found = [match for match in matches if match.seats and match.seats[0].rank is not None]
    seats = max((len(match.seats) for match in found), default=2)
    columns = [f"{name}_{seat}" for name in OF_SEAT for seat in range(seats)]
    return [[*OF_MATCH, *columns], *(_row(match, seats) for match in found)]


def _row(match: MatchRow, seats: int) -> list[str]:
    by_seat = {
        f"{name}_{seat}": "" if value is None else plain_text(str(value))
        for seat, one in enumerate(match.seats)
        for name, value in zip(OF_SEAT, (one.name, one.rank, one.score, one.forfeit), strict=True)
    }
    columns = [f"{name}_{seat}" for name in OF_SEAT for seat in range(seats)]
    counts = match.rated and match.annulled is None
    return [
        match.match,
        moment(match.finished_ms or 0, "milliseconds"),
        match.game,
        str(counts).lower(),
        plain_text(match.imported or ""),
        *(by_seat.get(column, "") for column in columns),
    ]


def read_results(text: str, source: str) -> list[ForeignMatch]:
    """Read the matches of a table, in its order, without checking the bots' names.

    Args:
        text: the table.
        source: its name in errors.

    Raises:
        TournamentError: the message names the line and the column.
    """
    return list(_Table(text, source).matches())


def text_of_table(content: bytes) -> str:
    """The text of a file as spreadsheets save it: UTF-8, UTF-16 with its mark, or Windows-1252."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _separated(text: str) -> tuple[str, str]:
    """The separator of a table, and its text without a line ``sep=`` that names it."""
    named = re.match(r"sep=([,;\t])\r?\n", text)
    if named is not None:
        return named[1], "\n" + text[named.end() :]
    headings = text.partition("\n")[0]
    return max(",;\t", key=headings.count), text


class _Table:
    """A table that is being read."""

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        delimiter, text = _separated(text)
        self._lines = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)

    def matches(self) -> Iterator[ForeignMatch]:
        """All matches; a line without an id that equals an earlier line is a separate match."""
        lines = self._read()
        columns = self._columns(next(filter(any, lines), []))
        seen: Counter[ForeignMatch] = Counter()
        for cells in lines:
            if not any(cells):
                continue
            if len(cells) != len(columns):
                self._refuse(f"it has {len(cells)} values, and there are {len(columns)} columns")
            match = self._match(dict(zip(columns, cells, strict=True)))
            if not match.there:
                key = replace(match, place="")
                seen[key] += 1
                match = replace(match, occurrence=seen[key])
            yield match

    def _read(self) -> Iterator[list[str]]:
        try:
            for line in self._lines:
                yield [cell.strip() for cell in line]
        except csv.Error as error:
            self._refuse(f"it is not CSV: {error}")

    def _columns(self, headings: Sequence[str]) -> Sequence[str]:
        for heading, times in Counter(headings).items():
            seat = _COLUMN.fullmatch(heading)
            if heading not in OF_MATCH and (seat is None or int(seat[1]) >= MOST_PLAYERS):
                of_seats = join_words([f"{name}_SEAT" for name in OF_SEAT])
                self._refuse(
                    f"there is no column {heading!r}; there are {join_words(OF_MATCH)}, and "
                    f"{of_seats} with the number of a seat, from 0"
                )
            if times > 1:
                self._refuse(f"the column {heading} occurs twice")
        if missing := [name for name in NEEDED if name not in headings]:
            self._refuse(f"the columns {join_words(missing)} are missing")
        return headings

    def _match(self, cells: Mapping[str, str]) -> ForeignMatch:
        there = cells.get("match", "")
        if there and _MATCH_ID.fullmatch(there) is None:
            self._refuse(f"match: {there!r} is no id of a match: use 1 to 64 of A-Z a-z 0-9 _ . -")
        rated = cells.get("rated", "").lower()
        if rated not in _TRUTH:
            self._refuse(f"rated: write true or false, not {cells['rated']!r}")
        try:
            finished_ms = moment_ms(cells["finished"], "finished")
        except ConfigurationError as error:
            self._refuse(str(error))
        seats = self._seats(cells)
        self._check_game(cells["game"], len(seats))
        return ForeignMatch(
            there=there,
            game=cells["game"],
            seats=seats,
            finished_ms=finished_ms,
            started_ms=finished_ms,
            place=f"{self._source}, line {self._lines.line_num}",
            rated=_TRUTH[rated],
        )

    def _seats(self, cells: Mapping[str, str]) -> tuple[ForeignSeat, ...]:
        taken = [seat for seat in range(MOST_PLAYERS) if self._values(cells, seat)]
        if taken != list(range(len(taken))):
            self._refuse(f"there are values for the seats {join_words(list(map(str, taken)))}")
        seats = tuple(self._seat(cells, seat) for seat in taken)
        names = [one.bot for one in seats]
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            self._refuse(f"{twice[0]} holds two seats")
        ranks = [one.rank or 0 for one in seats]
        if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
            self._refuse(
                f"the ranks {join_words(list(map(str, ranks)))} do not go together: 1 is the best, "
                "and the rank of a bot is 1 more than the number of bots ahead of it"
            )
        return seats

    def _values(self, cells: Mapping[str, str], seat: int) -> list[str]:
        return [name for name in OF_SEAT if cells.get(f"{name}_{seat}")]

    def _seat(self, cells: Mapping[str, str], seat: int) -> ForeignSeat:
        name = text_of_cell(cells.get(f"bot_{seat}", ""))
        rank, score = (self._number(cells, f"{column}_{seat}") for column in ("rank", "score"))
        if rank is None:
            self._refuse(f"rank_{seat} is missing")
        forfeit = cells.get(f"forfeit_{seat}") or None
        if forfeit is not None and forfeit not in _REASONS:
            self._refuse(f"forfeit_{seat} is one of {join_words(_REASONS)}, not {forfeit!r}")
        return ForeignSeat(name, rank, score, forfeit)

    def _number(self, cells: Mapping[str, str], column: str) -> int | None:
        cell = cells.get(column)
        if not cell:
            return None
        if _NUMBER.fullmatch(cell) is None:
            self._refuse(f"{column} is a whole number, not {cell!r}")
        return int(cell)

    def _check_game(self, name: str, players: int) -> None:
        try:
            game = load(name)
        except GameError as error:
            self._refuse(f"game: {error}")
        if not game.min_players <= players <= game.max_players:
            self._refuse(
                f"{game.title} is for {game.min_players} to {game.max_players} players, and there "
                f"are {players} bots"
            )

    def _refuse(self, why: str) -> NoReturn:
        line = max(self._lines.line_num, 1)
        raise TournamentError(printable(f"{self._source}, line {line}: {why}", limit=1_000))
