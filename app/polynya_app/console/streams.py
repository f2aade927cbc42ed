"""Standard streams that cost no result: closed ones, narrow alphabets, readers that have gone."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from typing import TextIO

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
