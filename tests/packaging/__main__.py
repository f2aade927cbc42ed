"""Tries every artefact of a release: ``python -m tests.packaging``, or ``make release-check``.

It runs the tests of this folder and prints a table: an artefact a row, and what was done
with it. Where a tool is missing a sentence below the table says which, and the exit code is 1, as
after a failure.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

STEPS = ("built", "checked", "installed", "played")
"""Built; checked as its registry would; installed from the file; a bot of it played a match."""
STYLES = {"failed": "bold red", "not tried": "yellow", "ok": "green"}


class ReleaseTable:
    """A plugin of pytest that keeps what became of each step of each artefact."""

    def __init__(self) -> None:
        self.outcomes: dict[str, dict[str, Counter[str]]] = defaultdict(
            lambda: defaultdict(Counter)
        )
        self.sentences: dict[str, None] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Count the outcome of a test, once."""
        report = yield
        if report.when == "call" or not report.passed:
            marker = item.get_closest_marker("step")
            step = marker.args[0] if marker else "installed"
            artefact = getattr(getattr(item, "module", None), "ARTEFACT", "others")
            if report.when != "teardown" or report.failed:
                self.outcomes[artefact][step][self._outcome(report)] += 1
        return report

    def _outcome(self, report: pytest.TestReport) -> str:
        if report.skipped and isinstance(report.longrepr, tuple):
            self.sentences[str(report.longrepr[2]).removeprefix("Skipped: ")] = None
            return "not tried"
        return "failed" if report.failed else "ok"

    def table(self) -> Table:
        """The artefacts and steps."""
        table = Table("artefact", *STEPS)
        for artefact, steps in sorted(self.outcomes.items()):
            table.add_row(artefact, *(_cell(steps[step]) for step in STEPS))
        return table


def _no_outcomes() -> dict[str, Counter[str]]:
    return defaultdict(Counter)


def _cell(outcomes: Counter[str]) -> str:
    """The worst of a step's outcomes, and how many tests had it."""
    for outcome, style in STYLES.items():
        if count := outcomes[outcome]:
            tests = f" ({count} of {outcomes.total()})" if outcome != "ok" else f" ({count})"
            return f"[{style}]{outcome}{tests}[/]"
    return "-"


def main(words: list[str]) -> int:
    """Run the tests, those that pytest's ``words`` choose, and print the table; the exit code."""
    plugin = ReleaseTable()
    folder = str(Path(__file__).parent)
    chosen = words if any(Path(word).exists() for word in words) else [folder, *words]
    code = pytest.main(["-q", "--no-header", "-rfE", *chosen], plugins=[plugin])
    console = Console()
    console.print(plugin.table())
    for sentence in plugin.sentences:
        console.print(f"Not tried: {sentence}", markup=False, soft_wrap=True)
    return int(code) or int(bool(plugin.sentences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
