"""The rows of a board as a host writes them: checked before anything is built of them."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_games.arktia.board import Board, Row, board_of
from polynya_games.errors import InvalidOption
from polynya_games.turns import describe


def board_from(rows: object, tiles: Sequence[int]) -> Board:
    """The board of a list of [length, indent] with one of the allowed numbers of tiles.

    Raises:
        InvalidOption: it is no such list, or the tiles are not connected; the message says which.
    """
    if not isinstance(rows, (list, tuple)):
        raise InvalidOption(f"rows is a list of [length, indent], not {describe(rows)}")
    checked = tuple(_row(row, number) for number, row in enumerate(rows))
    total = sum(length for length, _ in checked)
    if total not in tiles:
        allowed = " or ".join(str(number) for number in tiles)
        raise InvalidOption(f"rows has {allowed} tiles, as many as muglus are in play, not {total}")
    board = board_of(checked)
    if not board.connected:
        raise InvalidOption("rows is a connected board: every tile can be reached from every other")
    return board


def _row(row: object, number: int) -> Row:
    if isinstance(row, (list, tuple)) and len(row) == 2:
        length, indent = row
        if type(length) is int and type(indent) is int and length >= 1 and indent >= 0:
            return length, indent
    raise InvalidOption(
        f"rows[{number}] is [length, indent], a length from 1 and an indent from 0, "
        f"not {describe(row)}"
    )
