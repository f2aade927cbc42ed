"""Notes on an upload: what was left out or changed of it, for the lines that its author reads."""

from __future__ import annotations

from enum import Enum
from typing import Final

_MOST_NAMES: Final = 3


class Note(Enum):
    """A kind of note; its value is the beginning of the line, before the names."""

    LITTER = "left out, because a file manager made it"
    BACKSLASHES = "backslashes are separators of folders, as in a ZIP file made on Windows"
    UTF_8 = "the name is in UTF-8, though the ZIP file does not say so"
    COMPOSED = "the name has composed letters now (Unicode NFC)"
    RUN_BIT = "it may be run now, which the archive does not say"
    CRLF = "it ends lines with CRLF, so the system would not find its interpreter"
    NEARLY = "polynya.toml names it, and the upload has a name that is nearly the same"
    NOT_NEEDED = "left out, because no program needs it"
    BUILT = "left out, because the server builds it"


class Notes:
    """The notes on one upload."""

    def __init__(self) -> None:
        self._names: dict[Note, list[str]] = {}
        self._counts: dict[Note, int] = {}

    def add(self, note: Note, name: str) -> None:
        """Note that this was done with a file of this name."""
        names = self._names.setdefault(note, [])
        if len(names) < _MOST_NAMES and name not in names:
            names.append(name)
        self._counts[note] = self._counts.get(note, 0) + 1

    def lines(self) -> list[str]:
        """A line for each kind, with the first names."""
        return [
            f"{note.value}: {', '.join(names)}"
            + (f" and {more} more" if (more := self._counts[note] - len(names)) > 0 else "")
            for note, names in self._names.items()
        ]
