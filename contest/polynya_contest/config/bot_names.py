"""Names of bots: valid ones, new ones, and names made from command lines."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Cause, Reason
from polynya_protocol.names import FORM, folded, is_name, replace_invalid, why_not_new


def check_name(name: str, key: str) -> None:
    """Refuse an invalid name of a bot or a tournament.

    Args:
        name: what was given.
        key: where it stands.

    Raises:
        ConfigurationError: the message names the key.
    """
    if not is_name(name):
        raise ConfigurationError(f"{key}: {name!r} is not a valid name: use {FORM}")


class KnownNames:
    """The names of existing bots, and the rules for new ones.

    Args:
        names: those that the database knows, also names that are not valid today.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = set(names)
        self._alike = {folded(name): name for name in self._names}

    def add(self, name: str, where: str = "") -> None:
        """Accept a known name, or a valid new one.

        Args:
            name: the name.
            where: the beginning of the sentence that refuses it: the place of the name.

        Raises:
            ConfigurationError: no bot has this name, and no new bot may have it; it says why.
        """
        if name in self._names:
            return
        wrong = why_not_new(name)
        other = self._alike.get(folded(name))
        if wrong is None and other is not None:
            wrong = Reason.of("name_differs_in_case", name=other)
        if wrong is not None:
            raise ConfigurationError(Reason.of("bad_new_name", where=where, name=name, why=wrong))
        self._names.add(name)
        self._alike[folded(name)] = name


_LONGEST = 28
_SAYS_NOTHING = frozenset({"bot", "main"})
"""The names of the bots of all starter kits."""
_BUILT_IN = frozenset({".venv", "bin", "build", "debug", "dist", "out", "release", "src", "target"})
"""Folders that build tools create within a project."""


def check_given_names(names: Sequence[str], bots: int) -> None:
    """Refuse invalid, repeated or surplus names of ``--name``.

    Raises:
        ConfigurationError: there are more than bots, or one is no name, or comes twice.
    """
    if len(names) > bots:
        raise ConfigurationError(f"--name: {len(names)} names are given to {bots} bots")
    taken = dict[str, str]()
    for name in names:
        wrong: Cause | None = why_not_new(name)
        if folded(name) in taken:
            wrong = f"another bot is called {taken[folded(name)]} already"
        if wrong is not None:
            raise ConfigurationError(f"--name: {name!r} cannot be the bot's name: {wrong}")
        taken[folded(name)] = name


def name_of_command(words: Sequence[str]) -> str:
    """A name for a command: that of the last file among its words, else of its program.

    Where that is ``bot`` or ``main``, as in every starter kit, it is the name of the project's
    folder: ``one/target/release/bot`` is one. After ``--`` stands the program of a command that
    runs another one, such as ``polynya adapt``.
    """
    files = [Path(word) for word in words[1:] if Path(word).is_file()]
    program = words[words.index("--") + 1] if "--" in words[:-1] else words[0]
    file = files[-1] if files else Path(program)
    stem = file.stem
    if stem in _SAYS_NOTHING and file.is_file():
        stem = _project(file) or stem
    name = replace_invalid(stem).lstrip("-.")[:_LONGEST].rstrip(".")
    return "bot" if why_not_new(name) else name


def _project(file: Path) -> str:
    """The name of the folder that a project is in; empty at the top of the file system."""
    folders = (folder.name for folder in file.absolute().parents)
    return next(name for name in folders if name.lower() not in _BUILT_IN)


def unique_name(name: str, taken: Sequence[str]) -> str:
    """``name``, or the first of ``name-2``, ``name-3``, ... that is not taken in any letters."""
    number = 2
    unique = name
    known = {folded(other) for other in taken}
    while folded(unique) in known:
        unique, number = f"{name}-{number}", number + 1
    return unique


def command_words(line: str) -> list[str]:
    """Split a command line into words: quotes keep spaces, and Windows paths keep backslashes.

    Raises:
        ValueError: a quote is not closed.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.sep == "\\":
        lexer.escape = ""
    return list(lexer)
