"""Fill the table of clients/README.md: which requirements of docs/protocol.md each SDK meets.

    python clients/conformance.py             all SDKs whose toolchain is here
    python clients/conformance.py rust go     only these; the rows of the others stay

Each SDK says in ``clients/*/conformance*.toml`` how it is built and how its random bot is started;
that bot then goes through ``polynya check --bot`` in several games.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import trio

from polynya_conformance.bot.bot_check import check_bot
from polynya_conformance.bot.scripted_match import Rules
from polynya_conformance.requirements import REQUIREMENTS, Finding, Verdict, overall
from polynya_contest.config.builtin_bots import BotCommand
from polynya_games import load
from polynya_hosting.kits.toolchains import TOOLS, shortcomings

CLIENTS = Path(__file__).parent
README = CLIENTS / "README.md"
BEGIN, END = "<!-- conformance begin -->", "<!-- conformance end -->"
GAMES = ("packeis", "icecult")
"""One with turns of a single step, one with turns of several."""
PLAYERS, MOVE_MS = 2, 1_000
WORDS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "**fail**",
    Verdict.NOT_EXERCISED: "–",  # noqa: RUF001 - a dash
    Verdict.NOT_APPLICABLE: "n/a",
}
NUMBERS = [requirement.number for requirement in REQUIREMENTS]

Column = Mapping[str, str]
"""A word for each requirement's number."""


class Sdk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a ``conformance.toml``; commands are lists of words and run in its folder.

    Attributes:
        name: of its folder, or of a variant in another one's.
        language: for people.
        needs: the tools that it is built and run with, by their names in ``tools.toml`` of
            ``polynya_hosting/kits/starters``.
        random, greedy: start these bots.
        build: makes them; may be left out.
        folder: its folder's name, if that is another one.
    """

    name: str
    language: str
    random: list[str]
    greedy: list[str] = []
    needs: list[str] = []
    build: list[str] = []
    folder: str = ""

    @property
    def home(self) -> Path:
        """Where it is."""
        return CLIENTS / (self.folder or self.name)


def registered() -> list[Sdk]:
    """All SDKs, by name."""
    files = sorted(CLIENTS.glob("*/conformance*.toml"))
    return [msgspec.convert(tomllib.loads(file.read_text("utf-8")), Sdk) for file in files]


def missing(sdk: Sdk) -> str:
    """Sentences about the tools that are missing on this machine; empty if none is."""
    return " ".join(shortcomings(TOOLS[name] for name in sdk.needs))


def check(sdk: Sdk) -> list[Finding]:
    """Build an SDK and let its random bot be checked in all games."""
    if sdk.build:
        subprocess.run(sdk.build, cwd=sdk.home, check=True)  # noqa: S603 - that is what it is for
    command = BotCommand(tuple(sdk.random), {}, str(sdk.home))
    findings: list[Finding] = []
    for game in GAMES:
        findings += trio.run(check_bot, command, Rules(load(game), PLAYERS, MOVE_MS))
    return overall(NUMBERS, findings)


def table(columns: Mapping[str, Column]) -> str:
    """The table in Markdown: a row for each SDK, a column for each verdict."""
    rows: list[Iterable[str]] = [["", *WORDS.values()], ["---", *("---" for _ in WORDS)]]
    for language, column in columns.items():
        rows.append([language, *(_ranges(column, word) for word in WORDS.values())])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _ranges(column: Column, word: str) -> str:
    """The numbers with this verdict: "R1 to R23, R25"."""
    runs: list[list[str]] = []
    for here, number in enumerate(NUMBERS):
        if column.get(number) != word:
            continue
        if runs and here and runs[-1][-1] == NUMBERS[here - 1]:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def read_table(text: str) -> dict[str, Column]:
    """The verdicts of the table in a README, by language; none if there is no table."""
    lines = [line for line in _between(text)[1].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: _column(dict(zip(rows[0][1:], row[1:], strict=True))) for row in rows[2:]}


def _column(cells: Mapping[str, str]) -> Column:
    """A word for each number, from the numbers that each word's cell has."""
    words = dict.fromkeys(NUMBERS, "")
    for word, cell in cells.items():
        for run in filter(None, cell.split(", ")):
            first, _, last = run.partition(" to ")
            begin, end = NUMBERS.index(first), NUMBERS.index(last or first)
            words |= dict.fromkeys(NUMBERS[begin : end + 1], word)
    return words


def selected(names: Sequence[str]) -> list[Sdk]:
    """The SDKs of these names, or all.

    Raises:
        SystemExit: one of them is none; the message lists those that there are.
    """
    sdks = registered()
    known = [sdk.name for sdk in sdks]
    for name in names:
        if name not in known:
            raise SystemExit(f"there is no SDK {name!r}; there are {', '.join(known)}")
    return [sdk for sdk in sdks if not names or sdk.name in names]


def with_table(text: str, columns: Mapping[str, Column]) -> str:
    """The README with this table in it."""
    before, _, after = _between(text)
    return f"{before}{BEGIN}\n\n{table(columns)}\n\n{END}{after}"


def _between(text: str) -> tuple[str, str, str]:
    before, _, rest = text.partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside, after


def main(names: Sequence[str]) -> int:
    """Check the SDKs of these names, or all, and write the table; 1 if a requirement is not met."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    columns = read_table(README.read_text("utf-8"))
    failed = False
    for sdk in selected(names):
        if sentences := missing(sdk):
            print(f"{sdk.language}: not checked. {sentences}")
            continue
        findings = check(sdk)
        columns[sdk.language] = {finding.subject: WORDS[finding.verdict] for finding in findings}
        failed |= report(sdk, findings)
    known: dict[str, Any] = {sdk.language: columns.get(sdk.language, {}) for sdk in registered()}
    README.write_text(with_table(README.read_text("utf-8"), known), "utf-8")
    return int(failed)


def report(sdk: Sdk, findings: Sequence[Finding]) -> bool:
    """Say what was found; whether anything failed."""
    failures = [finding for finding in findings if finding.verdict is Verdict.FAIL]
    print(f"{sdk.language}: {len(failures)} requirements are not met")
    for finding in failures:
        print(f"  {finding.subject}, {finding.scenario}: {finding.sentence}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
