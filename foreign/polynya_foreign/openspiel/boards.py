"""Boards from OpenSpiel's texts: a grid where the text is one, else rows of text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from polynya_games.boards import EMPTY, Board, Cell, Grid, Rows
from polynya_games.boards.grid import MAX_SIDE
from polynya_games.boards.rows import MAX_COLUMNS, MAX_LINES

_CROSSES: Final = {".": EMPTY, "x": Cell(0, "disc"), "o": Cell(1, "disc")}
_STONES: Final = {"+": EMPTY, "X": Cell(0, "disc"), "O": Cell(1, "disc")}
_STONES_ROW: Final = re.compile(r" ?(\d+) ([XO+]+)")
_STONES_COLUMNS: Final = "abcdefghjklmnopqrst"
_FEN: Final = re.compile(r"(?:[1-8pnbrqk]+/){7}[1-8pnbrqk]+ [wb] .*", re.IGNORECASE)
_SIDE: Final = 8
LEAST_SIDE: Final = 3


def board(text: str) -> Board:
    """The board of a text of OpenSpiel: that of a state or of an observation."""
    return _crosses(text) or _chess(text) or _stones(text) or Rows(rows(text))


def rows(text: str) -> list[str]:
    """A text of OpenSpiel as rows that a page can show."""
    lines = text.expandtabs(4).rstrip().split("\n")[:MAX_LINES]
    return [
        "".join(sign if sign.isprintable() else " " for sign in line)[:MAX_COLUMNS]
        for line in lines
    ]


def _crosses(text: str) -> Grid | None:
    """Rows of crosses, noughts and dots: connect four and the like."""
    return _grid(text.strip("\n").split("\n"), _CROSSES)


def _grid(
    lines: Sequence[str],
    signs: Mapping[str, Cell],
    row_labels: Sequence[str] = (),
    column_labels: Sequence[str] = (),
) -> Grid | None:
    widths = {len(line) for line in lines}
    sides = {len(lines), *widths}
    if len(widths) != 1 or not LEAST_SIDE <= min(sides) <= max(sides) <= MAX_SIDE:
        return None
    if not set("".join(lines)) <= set(signs):
        return None
    return Grid([[signs[sign] for sign in line] for line in lines], row_labels, column_labels)


def _stones(text: str) -> Grid | None:
    """Go: numbered rows of black and white stones."""
    found = [match for line in text.split("\n") if (match := _STONES_ROW.fullmatch(line))]
    labels = [match[1] for match in found]
    if labels != [str(number) for number in range(len(found), 0, -1)]:
        return None
    columns = _STONES_COLUMNS[: len(found)]
    lines = [match[2] for match in found]
    return _grid(lines, _STONES, labels, list(columns)) if len(columns) == len(found) else None


def _chess(text: str) -> Grid | None:
    """A position of chess as FEN; the pieces of seat 1, White, are capitals there."""
    if not _FEN.fullmatch(text.strip()):
        return None
    lines = [re.sub(r"\d", lambda gap: "." * int(gap[0]), part) for part in _ranks(text)]
    if any(len(line) != _SIDE for line in lines):
        return None
    cells = [
        [_piece(sign, (row + column) % 2) for column, sign in enumerate(line)]
        for row, line in enumerate(lines)
    ]
    return Grid(cells, list("87654321"), list("abcdefgh"), f"position {text.strip()[:180]}")


def _ranks(text: str) -> list[str]:
    return text.strip().split(" ")[0].split("/")


def _piece(sign: str, dark: int) -> Cell:
    ground = "gray" if dark else "plain"
    if sign == ".":
        return Cell(ground=ground)
    return Cell(int(sign.isupper()), "disc", sign, ground)
