"""Writes the defaults and meanings of settings into the tables of hosting.md, from the code.

``python docs/settings_tables.py`` rewrites each row that begins with a setting's name, and drops
rows of settings that are gone; with ``--check`` it only says whether that would change the page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from polynya_server.settings import SETTINGS
from polynya_tournaments.cli.flags.setting_flags import default_of
from polynya_tournaments.cli.serve_settings import SERVE_SETTINGS

DOCUMENT = Path(__file__).with_name("hosting.md")
OF_A_STANDING_SERVER = {
    "port": "4242 (0 in a tournament)",
    "open_registration": "on loopback only",
}
ROW = re.compile(r"^\| `(\w+)` \|.*\n", re.MULTILINE)


def rows() -> dict[str, str]:
    """The row of each setting, by its name."""
    return {
        setting.name: f"| `{setting.name}` "
        f"| {OF_A_STANDING_SERVER.get(setting.name) or default_of(setting)} "
        f"| {setting.meaning} |\n"
        for setting in [*SERVE_SETTINGS, *SETTINGS]
    }


def renewed(text: str) -> str:
    """The page's text with the rows of today; ``ValueError`` if a setting has none."""
    begin = text.index("\n### Settings\n")
    end = text.index("\n### ", begin + 1)
    current, section = rows(), text[begin:end]
    if missing := set(current) - {match[1] for match in ROW.finditer(section)}:
        raise ValueError(f"settings without a row in {DOCUMENT.name}: {sorted(missing)}")
    return text[:begin] + ROW.sub(lambda row: current.get(row[1], ""), section) + text[end:]


def main(check: bool) -> None:
    """Write the page, or exit with 1 if that would change it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    if not check:
        DOCUMENT.write_text(renewed(text), encoding="utf-8")
    elif renewed(text) != text:
        sys.exit(f"{DOCUMENT.name} is out of date: run 'make docs'")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
