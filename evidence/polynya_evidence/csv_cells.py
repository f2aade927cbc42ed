"""Cells of CSV files (RFC 4180), which spreadsheets take for nothing but text and numbers."""

from __future__ import annotations

from typing import TypeVar

from polynya_protocol.errors import printable

_FORMULA = ("=", "+", "-", "@")
_Value = TypeVar("_Value", int, float, None)


def plain_cell(cell: str | _Value) -> str | _Value:
    """A cell as it is written: text by :func:`plain_text`, numbers as numbers."""
    return plain_text(cell) if isinstance(cell, str) else cell


def plain_text(cell: str) -> str:
    """Text that a spreadsheet would calculate begins with an apostrophe."""
    text = printable(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def text_of_cell(cell: str) -> str:
    """The text that :func:`plain_text` made a cell of."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
