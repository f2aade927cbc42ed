"""Files that are named after bots or matches, apart from each other on every system.

Some file systems take ``Ann`` and ``ann`` for the same, and some systems keep names such as ``CON``
for devices. Such a name gets an ending that says which of its letters are capitals, so that no two
of them ever become alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_is_device = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?").fullmatch


def file_stems(names: Iterable[str]) -> dict[str, str]:
    """By name the file's name without its suffix: mostly the name itself."""
    wanted = list(dict.fromkeys(names))
    alike = Counter(map(str.lower, wanted))
    return {name: _stem(name, alone=alike[name.lower()] == 1) for name in wanted}


def marked_stem(name: str) -> str:
    """The name with the ending that keeps it apart: no name has ``~`` in it."""
    capitals = sum(1 << place for place, letter in enumerate(name) if letter.isupper())
    return f"{name}~{capitals:x}"


def _stem(name: str, *, alone: bool) -> str:
    if alone and not _is_device(name.lower()):
        return name
    return marked_stem(name)
