"""What commands write: tables and JSON to standard output, sentences to standard error.

Everything that comes from bots or files is made harmless for a terminal here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

from polynya_tournaments.text import printable

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 240
"""Columns where the output is no terminal: tables take what they need and are not folded."""
_FOLDED = 32
"""Cells that are longer may be folded in a narrow terminal; names and figures are not."""
_UNBOUNDED = 10_000


def complain(sentence: str) -> None:
    """One sentence to standard error; lines that follow it (a bot's last words) as lines."""
    for line in f"polynya: {sentence}".splitlines():
        print(printable(line, limit=2000), file=sys.stderr, flush=True)


def write_line(text: str = "") -> None:
    """One line to standard output."""
    print(printable(text, limit=10_000))


def write_json(document: Any) -> None:
    """A document to standard output; ASCII only, so nothing in it can steer a terminal."""
    print(json.dumps(document, indent=2))


def write_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None
) -> None:
    """A table to standard output.

    Args:
        columns: the headings; one that begins with ``>`` has its cells aligned on the right.
        rows: cells by column; None is an empty one.
        title: a line above the table.
    """
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table()
    cells = [["" if cell is None else printable(str(cell)) for cell in row] for row in rows]
    for place, column in enumerate(columns):
        heading = column.removeprefix(">")
        longest = max(map(len, [heading, *(row[place] for row in cells)]))
        table.add_column(
            Text(heading),
            justify="right" if heading != column else "left",
            min_width=min(longest, _FOLDED),
            overflow="fold",
        )
    for row in cells:
        table.add_row(*map(Text, row))
    if title is not None:
        write_line(title)
    output = console(sys.stdout)
    # In a terminal that is too narrow, the terminal breaks whole lines: nothing is cut off.
    unbounded = output.options.update_width(_UNBOUNDED)
    output.width = max(output.width, Measurement.get(output, unbounded, table).minimum)
    output.print(table)


def console(stream: IO[str]) -> Console:
    """A console on ``stream`` that takes no text for markup."""
    from rich.console import Console

    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)
