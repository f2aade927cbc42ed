"""The rows of a board as a host writes them: checked before anything is built of them."""

from __future__ import annotations

from polynya_games.arktia.board import Board, board_of
from polynya_games.arktia.packing import CELLS
from polynya_games.errors import InvalidOption
from polynya_games.rows import centres, is_connected, read_rows


def board_from(value: object, least: int) -> Board:
    """The board of rows as a host or a peer wrote them.

    Args:
        value: any value.
        least: how many muglus are placed before the main phase, each on a tile of its own.

    Raises:
        InvalidOption: it is no list of rows, the tiles are too few or too many or not connected;
            the message says which.
    """
    rows = read_rows(value, CELLS)
    cells = centres(rows)
    if len(cells) < least:
        raise InvalidOption(
            f"rows has {len(cells)} tiles, fewer than the {least} muglus of the opening"
        )
    if not is_connected(cells):
        raise InvalidOption("rows is not connected: some tiles cannot be reached from the others")
    return board_of(rows)
