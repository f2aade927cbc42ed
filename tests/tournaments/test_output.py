"""Tables in a terminal: names and figures whole, long texts folded, nothing cut off."""

from __future__ import annotations

import sys
from io import StringIO

import pytest

from polynya_tournaments.cli.output import write_table


class Terminal(StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [20, 60, 200])
def test_a_table_keeps_its_words_in_a_terminal_of_any_width(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    why = " ".join(f"reason{number}" for number in range(20))
    write_table(["bot", ">Elo", "why"], [["a_bot_with_a_long_name", 1534, why]])
    written = terminal.getvalue()
    assert "a_bot_with_a_long_name" in written
    assert "1534" in written
    assert "…" not in written
    assert [f"reason{number}" in written for number in range(20)] == [True] * 20
