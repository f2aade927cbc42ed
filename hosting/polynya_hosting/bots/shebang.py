"""Finds what is wrong with the first line of a script that cannot be started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from polynya_protocol.errors import printable

_MOST = 256
"""Bytes of a first line that the kernel reads."""


def wrong_shebang(program: Path) -> str | None:
    """Find out why a script's ``#!`` line names no program.

    Args:
        program: the file to be started.

    Returns:
        a sentence; None for other files, and for a line that names a program.
    """
    try:
        with program.open("rb") as file:
            line = file.read(_MOST).partition(b"\n")[0]
    except OSError:
        return None
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode("utf-8", "replace").split()
    if line.endswith(b"\r"):
        return (
            f"the first line of {program} ends with a carriage return, as Windows writes it: save "
            "the file with Unix line ends"
        )
    interpreter = _interpreter(words)
    if interpreter is None or shutil.which(interpreter) is not None:
        return None
    shown = printable(line.decode("utf-8", "replace"))
    return f"{program} begins with {shown}, and there is no program {printable(interpreter)}"


def _interpreter(words: list[str]) -> str | None:
    """The program that runs the script: after ``env``, the first word that is no option."""
    if not words:
        return None
    if os.path.basename(words[0]) != "env" or shutil.which(words[0]) is None:
        return words[0]
    named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return named[0] if named else None
