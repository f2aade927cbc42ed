"""Writes the table of ``protocol.md`` with the values of the server's messages that may be nil.

``python docs/nil_table.py`` rewrites it from the schema of the messages; with ``--check`` it only
says whether that would change the page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from polynya_protocol.schema import keys_that_may_be_nil

DOCUMENT = Path(__file__).with_name("protocol.md")
PLACE = re.compile(r"(<!-- nil begin -->\n).*(<!-- nil end -->)", re.DOTALL)


def table() -> str:
    """A row for each message in which a value may be nil."""
    rows = (
        f"| `{message}` | {', '.join(f'`{path}`' for path in paths)} |\n"
        for message, paths in keys_that_may_be_nil().items()
        if paths
    )
    return f"\n| message | may be nil |\n|---|---|\n{''.join(rows)}\n"


def main(arguments: list[str]) -> int:
    """Write the table, or with ``--check`` compare it; the exit code."""
    before = DOCUMENT.read_text("utf-8")
    after = PLACE.sub(lambda place: place[1] + table() + place[2], before)
    if "--check" in arguments:
        if before != after:
            print(f"{DOCUMENT} is out of date: run 'make docs'", file=sys.stderr)
        return int(before != after)
    DOCUMENT.write_text(after, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
