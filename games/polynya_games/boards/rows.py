"""A board as rows of text, to be shown with letters of one width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polynya_games.errors import InvalidBoard, describe

MAX_LINES = 256
MAX_COLUMNS = 512


@dataclass(frozen=True, slots=True)
class Rows:
    """A board as text.

    Attributes:
        lines: the rows, from top to bottom: up to 256 of up to 512 printable characters.

    Raises:
        InvalidBoard: it is too large, or a line is not printable.
    """

    lines: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(self.lines))
        if len(self.lines) > MAX_LINES:
            raise InvalidBoard(f"the board has {len(self.lines)} rows; the most is {MAX_LINES}")
        for number, line in enumerate(self.lines):
            check_text(line, f"row {number}", MAX_COLUMNS)


def check_text(text: object, place: str, most: int) -> None:
    """Refuse anything but printable text of at most ``most`` characters.

    Raises:
        InvalidBoard: the message names the place.
    """
    if not isinstance(text, str) or not text.isprintable():
        raise InvalidBoard(f"{place} of the board is no printable text: {describe(text)}")
    if len(text) > most:
        raise InvalidBoard(f"{place} of the board has {len(text)} characters; the most is {most}")
