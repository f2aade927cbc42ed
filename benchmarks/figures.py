"""The figures of the benchmarks with their goals, and the table that shows both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rich.table import Table

from polynya_app.version import version_line


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        part: the benchmark that it comes from.
        what: what was measured, with its unit.
        value: what came out.
        goal: what it should be, None for a figure that only explains another one.
        better: which way is better.
    """

    part: str
    what: str
    value: float
    goal: float | None = None
    better: Literal["lower", "higher"] = "lower"

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached, None without one."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.better == "lower" else self.value >= self.goal


def table(figures: Iterable[Figure]) -> Table:
    """The figures for people, with the goals beside them."""
    shown = Table(title=f"Benchmarks of {version_line()}")
    shown.add_column("")
    shown.add_column("what")
    for heading in ("measured", "goal", "reached"):
        shown.add_column(heading, justify="right")
    for figure in figures:
        sign = "≤" if figure.better == "lower" else "≥"
        goal = "" if figure.goal is None else f"{sign} {_number(figure.goal)}"
        reached = {True: "yes", False: "no", None: ""}[figure.reached]
        shown.add_row(figure.part, figure.what, _number(figure.value), goal, reached)
    return shown


def as_json(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [{**asdict(figure), "reached": figure.reached} for figure in figures]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
