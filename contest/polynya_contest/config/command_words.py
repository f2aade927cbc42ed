"""The words of a command line, as a shell would split it."""

from __future__ import annotations

import os
import shlex


def command_words(line: str) -> list[str]:
    """The words; quotes keep spaces, and a backslash is part of a path on Windows.

    Raises:
        ValueError: a quote is not closed.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.sep == "\\":
        lexer.escape = ""
    return list(lexer)
