"""The output of commands: answers to standard output, what went wrong to standard error.

Standard streams that are closed, have a narrow alphabet or lost their reader cost no result.
Everything that comes from bots or files is made harmless for a terminal here.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import json
import os
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, TextIO

import msgspec

from polynya_common.reasons import Reason, reason_of
from polynya_protocol.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PLAIN_WIDTH = 240
"""Columns where the output is no terminal: tables take what they need and are not folded."""
_WHOLE = 32
"""Names and figures are not longer. Longer texts may be folded in a narrow terminal ..."""
_FOLDED = 16
"""... to this number of columns."""


def complain(sentence: str) -> None:
    """One sentence to standard error; lines that follow it (a bot's last words) as lines."""
    for line in f"polynya: {sentence}".splitlines():
        print(printable(line, limit=2000), file=sys.stderr, flush=True)


def write_line(text: str = "") -> None:
    """One line to standard output."""
    print(printable(text, limit=10_000))


def write_json(document: Any) -> None:
    """A document to standard output; ASCII only, so nothing in it can steer a terminal."""
    print(json.dumps(_with_sentences(document), indent=2, default=msgspec.to_builtins))


def _with_sentences(value: Any) -> Any:
    """The document with each reason as its sentence, and its code with fields under ``_cause``."""
    if isinstance(value, list | tuple):
        return [_with_sentences(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    found = {}
    for name, one in value.items():
        if str(name).endswith("_cause"):
            found[name] = one
        elif isinstance(one, Reason):
            found |= {name: str(one), f"{name}_cause": one}
        elif isinstance(one, list | tuple) and any(isinstance(each, Reason) for each in one):
            found |= {name: [str(each) for each in one], f"{name}_cause": [*map(reason_of, one)]}
        else:
            found[name] = _with_sentences(one)
    return found


def write_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str | None = None,
    without_rows: str | None = None,
) -> None:
    """A table to standard output.

    Args:
        columns: the headings; a heading that begins with ``>`` has its cells aligned on the right.
        rows: cells by column; None is an empty one.
        title: a line above the table.
        without_rows: a sentence that is written instead of a table without rows.
    """
    cells = [["" if cell is None else _shown(str(cell)) for cell in row] for row in rows]
    if not cells and without_rows is not None:
        write_line(without_rows)
        return
    output = console(sys.stdout)
    table = _drawn(columns, cells, narrow=False)
    if _least_width(table) > output.width:
        table = _drawn(columns, cells, narrow=True)
        # If that is too wide as well, the terminal breaks whole lines: nothing is cut off.
        output.width = max(output.width, _least_width(table))
    if title is not None:
        write_line(title)
    output.print(table)


def _shown(cell: str) -> str:
    return encodable(printable(cell), sys.stdout)


def _drawn(columns: Sequence[str], cells: Sequence[Sequence[str]], narrow: bool) -> Table:
    """A table; a narrow one has no frame and breaks its headings between words."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.MINIMAL, padding=0, show_edge=False) if narrow else Table()
    for place, column in enumerate(columns):
        heading = column.removeprefix(">")
        parts = heading.split() if narrow else [heading]
        # A column may be empty, as that of notes is; nothing can be wrapped to no columns.
        longest = max([1, *map(len, parts), *(len(row[place]) for row in cells)])
        whole = longest <= _WHOLE
        table.add_column(
            Text("\n".join(textwrap.wrap(heading, longest)) if narrow and whole else heading),
            justify="right" if heading != column else "left",
            min_width=longest if whole else _FOLDED,
            no_wrap=whole,
            overflow="fold",
        )
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _least_width(table: Table) -> int:
    """In columns, when all is folded that may be."""
    count = len(table.columns)
    lines = (
        3 * count + 1 if table.show_edge else count - 1
    )  # a framed cell has a space on each side
    return lines + sum(column.min_width or 0 for column in table.columns)


def console(stream: IO[str]) -> Console:
    """A console on ``stream`` that takes no text for markup."""
    from rich.console import Console

    width = None if stream.isatty() else _PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


_IN_ASCII = {
    "\N{INFINITY}": "inf",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
}


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Something like a character that an encoding lacks: the error handler of ``ERRORS``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(each, "?") for each in missing), error.end


ERRORS = "polynya.in_ascii"
codecs.register_error(ERRORS, _in_ascii)


def encodable(text: str, stream: TextIO) -> str:
    """The text as a stream can show it, before its columns are counted."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, ERRORS).decode(encoding)


class _Standing(io.TextIOWrapper):
    """Standard error without a reader goes on: what is said is lost, and nothing else."""

    def write(self, text: str, /) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def prepare_streams() -> None:
    """Make the standard streams of this process so that no written text costs a result.

    A descriptor that is closed is opened on the null device: else the next file that is opened, a
    database, would get its number, and what processes print.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 -- for good
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=ERRORS)
    own = sys.stderr
    if own is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 -- for good
    elif isinstance(own, io.TextIOWrapper) and own is sys.__stderr__:
        # Else the caller has put another one in its place.
        buffer = open(2, "wb", closefd=False)  # noqa: SIM115 -- for good
        sys.stderr = _Standing(buffer, encoding=own.encoding, errors=ERRORS, line_buffering=True)
