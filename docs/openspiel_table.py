"""Writes the table of OpenSpiel's games into openspiel.md.

``python docs/openspiel_table.py`` rewrites it; with ``--check`` it only says whether that would
change the page. The counts of compared games are those of ``tests/foreign/openspiel/lockstep.txt``.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

import pyspiel

from polynya_foreign.openspiel.catalogue import game, unfit
from polynya_foreign.openspiel.model import Model, draws, hides, kinds
from polynya_foreign.openspiel.parameters import parameters

DOCUMENT = Path(__file__).with_name("openspiel.md")
COMPARED = Path(__file__).parents[1] / "tests" / "foreign" / "openspiel" / "lockstep.txt"
BEGIN = "<!-- docs/openspiel_table.py writes the table below -->\n"


def table() -> str:
    """A row for each game of OpenSpiel."""
    compared = _compared()
    lines = ["| game | players | kind | factor | compared |", "|---|---|---|---|---|"]
    for name, kind in kinds().items():
        reason = unfit(name)
        if reason is not None:
            lines.append(f"| `{name}` | none | does not fit: {reason} | | |")
            continue
        count = f"{compared[name]:,}"
        lines.append(
            f"| `{name}` | {_players(name)} | {_kind(kind)} | {_factors(name)} | {count} |"
        )
    return "\n".join(lines) + "\n"


def _compared() -> dict[str, int]:
    lines = [line.split() for line in COMPARED.read_text(encoding="utf-8").splitlines()]
    return {words[0]: int(words[1]) for words in lines}


def _players(name: str) -> str:
    least, most = game(name).min_players, game(name).max_players
    return str(least) if least == most else f"{least} to {most}"


def _kind(kind: Any) -> str:
    words = ["all at once" if kind.dynamics.name == "SIMULTANEOUS" else "in turn"]
    words += ["chance"] * draws(kind) + ["hidden"] * hides(kind)
    return ", ".join(words)


def _factors(name: str) -> str:
    """The factor with the fewest players, and with the most if that is another."""
    factors = []
    for players in range(game(name).min_players, game(name).max_players + 1):
        values = parameters(game(name).specification, players, {})
        with contextlib.suppress(pyspiel.SpielError):  # a number that the game leaves out
            factors.append(Model(name, values).factor)
    return str(factors[0]) if factors[0] == factors[-1] else f"{factors[0]} to {factors[-1]:,}"


def rewritten(page: str) -> str:
    """The page with the table of today."""
    head, _, rest = page.partition(BEGIN)
    after = rest.lstrip("\n").split("\n\n", 1)
    tail = f"\n{after[1]}" if len(after) > 1 else ""
    return f"{head}{BEGIN}\n{table()}{tail}"


def main() -> int:
    """Rewrite the page, or check it."""
    page = DOCUMENT.read_text(encoding="utf-8")
    new = rewritten(page)
    if "--check" in sys.argv[1:]:
        return int(new != page)
    DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
