"""Writes and reads CSV cells (RFC 4180) that no spreadsheet takes for a formula."""

from __future__ import annotations

from typing import TypeVar

from polynya_protocol.errors import printable

_FORMULA = ("=", "+", "-", "@")
_Value = TypeVar("_Value", int, float, None)


def plain_cell(cell: str | _Value) -> str | _Value:
    """Convert a value to a cell: text by :func:`plain_text`, numbers as numbers."""
    return plain_text(cell) if isinstance(cell, str) else cell


def plain_text(cell: str) -> str:
    """Prefix text that a spreadsheet would calculate with an apostrophe."""
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
