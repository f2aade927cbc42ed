"""Writes defaults, ranges and meanings of settings into the tables of hosting/settings.md.

``python docs/settings_tables.py`` rewrites each row that begins with a setting's name, drops rows
of settings that are gone, and writes the ranges of keys that have no such row; with ``--check`` it
only says whether that would change the page.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polynya_app.flags.setting_flags import default_of
from polynya_app.serve_settings import SERVE_SETTINGS, TABLES, table_settings
from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_contest.config.tournament_checks import CLOCK_RANGES
from polynya_contest.config.tournament_configuration import MOST_SEED, TournamentConfiguration
from polynya_contest.pairing.formats.formats_by_name import SETTINGS as FORMATS
from polynya_contest.ratings.model import ANCHORS, RatingSettings
from polynya_server.settings import SETTINGS, Setting, settings_of
from polynya_web.settings import WebSettings

DOCUMENT = Path(__file__).with_name("hosting") / "settings.md"
OF_A_STANDING_SERVER = {
    "port": "4242 (0 in a tournament)",
    "open_registration": "yes on loopback, else no",
    "rating.k_factor": "16.0 (32.0 in a tournament)",
}
RANGES: Mapping[str, Mapping[str, type[Any]]] = {
    "tournaments": {
        "": TournamentConfiguration,
        **{f"{name}.": kind for name, kind in FORMATS.items()},
        "rating.": RatingSettings,
        "sandbox.limits.": SandboxLimits,
    },
    "web pages": {"web.": WebSettings},
}
LONG = 10_000_000
"""From here on powers of ten are written as such."""
ROW = re.compile(r"^\| `([\w.]+)` \|.*\n", re.MULTILINE)


def rows() -> dict[str, str]:
    """The row of each setting, by its name."""
    found = {one.name: f"| `{one.name}` | {_words(one)}" for one in (*SERVE_SETTINGS, *SETTINGS)}
    for table in TABLES:
        for one in table_settings(table):
            key, flag = f"{table.name}.{one.name}", table.flat_name(one.name).replace("_", "-")
            found[key] = f"| `{key}` | `--{flag}` | {_words(one, f'{table.name}.')}"
    return found


def _words(one: Setting, table: str = "") -> str:
    default = OF_A_STANDING_SERVER.get(f"{table}{one.name}") or default_of(one)
    return f"{default} | {range_words(one.range)} | {one.meaning} |\n"


def range_words(limits: tuple[float, float] | None) -> str:
    """A range, empty without one: ``1 to 10^12``."""
    return "" if limits is None else " to ".join(map(_number_words, limits))


def _number_words(number: float) -> str:
    if number == MOST_SEED:
        return "2^64 - 1"
    if number >= LONG and math.log10(number).is_integer():
        return f"10^{round(math.log10(number))}"
    return f"{number:,}"


def ranges(tables: Mapping[str, type[Any]]) -> str:
    """The ranges of the keys of tables, as a table; the tables by the prefix of their keys."""
    found = {
        f"{table}{setting.name}": setting.range
        for table, kind in tables.items()
        for setting in settings_of(kind)
        if setting.range is not None
    }
    if "" in tables:
        found |= {f"clock.{key}": limits for key, limits in CLOCK_RANGES.items()}
        found |= {f"rating.anchors` of `{system}": limits for system, limits in ANCHORS.items()}
    rows = "".join(f"| `{key}` | {range_words(limits)} |\n" for key, limits in found.items())
    return f"| key | range |\n|---|---|\n{rows}"


def renewed(text: str) -> str:
    """The page's text with the rows of today; ``ValueError`` if a setting has none."""
    end = text.index("<!-- ranges of ")
    current, section = rows(), text[:end]
    if missing := set(current) - {match[1] for match in ROW.finditer(section)}:
        raise ValueError(f"settings without a row in {DOCUMENT.name}: {sorted(missing)}")
    text = ROW.sub(lambda row: current.get(row[1], ""), section) + text[end:]
    for name, tables in RANGES.items():
        before, mark, rest = text.partition(f"<!-- ranges of {name} -->\n")
        if not mark:
            raise ValueError(f"{DOCUMENT.name} has no place for the ranges of {name}")
        _, end_mark, after = rest.partition("<!-- end -->\n")
        text = f"{before}{mark}{ranges(tables)}{end_mark}{after}"
    return text


def main(check: bool) -> None:
    """Write the page, or exit with 1 if that would change it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    if not check:
        DOCUMENT.write_text(renewed(text), encoding="utf-8")
    elif renewed(text) != text:
        sys.exit(f"{DOCUMENT.name} is out of date: run 'make docs'")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
