"""Tables in a terminal: names and figures whole, long texts folded, nothing cut off."""

from __future__ import annotations

import sys
from io import StringIO

import pytest

from polynya_app.console.output import write_table


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


def written_in_a_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, columns: list[str], row: list[object]
) -> list[str]:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")  # one without bold letters
    monkeypatch.setenv("LINES", "24")
    write_table(columns, [row])
    return terminal.getvalue().splitlines()


def test_a_table_that_does_not_fit_is_drawn_without_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = written_in_a_terminal(
        24, monkeypatch, ["bot", ">charged ms", ">Elo", ">server late ms"], ["greedy", 7, 1534, 0.2]
    )
    expected = [
        "      │       │    │server",
        "      │charged│    │  late",
        "bot   │     ms│ Elo│    ms",
        "──────┼───────┼────┼──────",
        "greedy│      7│1534│   0.2",
    ]
    assert expected == written


def test_column_without_a_heading_and_a_word_is_drawn_in_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = written_in_a_terminal(
        20, monkeypatch, ["bots", ">points", ""], ["greedy - random", "1.5 - 0.5", ""]
    )
    assert "greedy - random│1.5 - 0.5│" in [line.strip() for line in written]


def test_long_texts_are_folded_where_that_makes_a_table_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remarks = '{"score":19.5,"depth":3,"nodes":1445}'
    written = written_in_a_terminal(40, monkeypatch, ["turn", "remarks"], [12, remarks])
    assert [40] * len(written) == [len(line) for line in written]
    folded = [line.split("│")[2].strip() for line in written[3:-1]]
    assert remarks == "".join(folded)
