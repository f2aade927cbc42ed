"""The manifest ``polynya.toml``: describes an uploaded program, its build and its start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Reason, cause_of
from polynya_contest.config.bot_names import command_words
from polynya_contest.config.toml_files import converted, refuse_unknown
from polynya_games import GameError, load
from polynya_games.trace import MOST_NESTED, is_deeper
from polynya_protocol.errors import printable
from polynya_protocol.names import why_not_new
from polynya_tournaments.uploads.archives.archive_names import is_manifest_like
from polynya_tournaments.uploads.archives.manifest_text import (
    MANIFEST,
    MOST_BYTES,
    parsed,
    why_missing,
)
from polynya_tournaments.uploads.errors import UploadError

_MOST_COMMANDS: Final = 20
_MOST_GAMES: Final = 16
_GAME: Final = re.compile(r"[a-z0-9_]{1,64}")
_ADAPT: Final = ("python3", "-m", "polynya_foreign.adapters")
_LONGEST_COMMAND: Final = 1_000
_LONGEST_WORD: Final = 32
_OF_SHELLS: Final = frozenset({"&&", "||", ";", "|", "&", ">", ">>", "<", "2>&1", "2>"})
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*=")
_WINDOWS_PATH: Final = re.compile(r"(?:^|[\w.])\\+[\w.]")
"""A backslash in the middle of a path; before a space or a quote it keeps that as it is."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The description of a program in its archive.

    Attributes:
        name: the bot's; see :data:`~polynya_protocol.names.FORM`.
        version: what its hello declares, as text.
        language: for people and statistics; any short word.
        build: command lines that build it, one after the other, in its folder; they are split into
            words, and no shell reads them.
        run: the command line that starts it, in its folder.
        games: the names of the games that it plays.
    """

    name: str
    version: str
    language: str
    run: str
    build: tuple[str, ...] = ()
    games: tuple[str, ...]

    @property
    def build_commands(self) -> list[list[str]]:
        """The words of each command that builds it."""
        return [command_words(line) for line in self.build]

    @property
    def run_command(self) -> list[str]:
        """The words of the command that starts it; a sandbox has no command ``polynya``."""
        words = command_words(self.run)
        return [*_ADAPT, *words[2:]] if words[:2] == ["polynya", "adapt"] else words


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a program of our own, not of a stranger's.

    Args:
        folder: the program's.

    Raises:
        UploadError: there is none, or it says something impossible; the message names the key.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise UploadError(why_missing(_like_manifest(folder)))
    with path.open("rb") as opened:
        return manifest_of(parsed(opened.read(MOST_BYTES + 1)))


def _like_manifest(folder: Path) -> list[str]:
    """The files at the top and two folders deep that could be meant as the manifest."""
    found = [path for form in ("*", "*/*", "*/*/*") for path in folder.glob(form)]
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(found)
        if is_manifest_like(path.name) and path.is_file()
    ]


def manifest_of(document: Mapping[str, Any]) -> Manifest:
    """The manifest that a document is.

    Raises:
        UploadError: it says something impossible; the message names the key.
    """
    if is_deeper(document, MOST_NESTED):
        raise UploadError(Reason.of("manifest_wrong", why=Reason.of("nested_too_deeply")))
    try:
        refuse_unknown(document, Manifest.__struct_fields__, "")
        manifest = converted(document, Manifest)
        _check(manifest)
    except ConfigurationError as error:
        raise UploadError(Reason.of("manifest_wrong", why=cause_of(error))) from error
    return manifest


def recorded(text: str) -> Manifest:
    """A manifest as :func:`written` writes it."""
    return msgspec.json.decode(text, type=Manifest)


def written(manifest: Manifest) -> str:
    """A manifest as it is recorded."""
    return msgspec.json.encode(manifest).decode()


def _check(manifest: Manifest) -> None:
    if wrong := why_not_new(manifest.name):
        raise ConfigurationError(
            Reason.of("manifest_name", name=printable(manifest.name), why=wrong)
        )
    for key in ("version", "language"):
        _check_word(key, getattr(manifest, key))
    if len(manifest.build) > _MOST_COMMANDS:
        raise ConfigurationError(
            Reason.of("manifest_commands", count=len(manifest.build), most=_MOST_COMMANDS)
        )
    for number, line in enumerate(manifest.build):
        _check_command(f"build[{number}]", line)
    _check_command("run", manifest.run)
    _check_games(manifest.games)


def _check_word(key: str, value: str) -> None:
    if not value.strip() or len(value) > _LONGEST_WORD or not value.isprintable():
        raise ConfigurationError(Reason.of("manifest_not_printable", key=key, most=_LONGEST_WORD))


def _check_command(key: str, line: str) -> None:
    if len(line) > _LONGEST_COMMAND:
        raise ConfigurationError(
            Reason.of("manifest_entry_too_long", key=key, most=_LONGEST_COMMAND)
        )
    try:
        words = command_words(line)
    except ValueError as error:
        raise ConfigurationError(f"{key}: {error} in {printable(line)}") from error
    if not words:
        raise ConfigurationError(Reason.of("manifest_entry_empty", key=key))
    if not line.replace("\t", " ").isprintable():
        raise ConfigurationError(Reason.of("manifest_control_character", key=key))
    _check_for_shells(key, words)
    if _WINDOWS_PATH.search(line) and "/" not in line:
        raise ConfigurationError(Reason.of("manifest_backslash", key=key, line=printable(line)))


def _check_for_shells(key: str, words: list[str]) -> None:
    """Refuse a command that is written for a shell: it would get these words as arguments."""
    assigned = _ASSIGNED.match(words[0])
    found = words[0] if words[0] == "cd" or assigned else next(filter(_is_of_shell, words), None)
    if found is not None:
        raise ConfigurationError(Reason.of("manifest_for_shells", key=key, word=printable(found)))


def _is_of_shell(word: str) -> bool:
    return word in _OF_SHELLS or (len(word) > 1 and word.endswith(";"))


def _check_games(games: tuple[str, ...]) -> None:
    if not 1 <= len(games) <= _MOST_GAMES or len(set(games)) < len(games):
        raise ConfigurationError(Reason.of("manifest_game_count", most=_MOST_GAMES))
    for name in games:
        if not _GAME.fullmatch(name):
            _check_game(name)


def refuse_unknown_games(manifest: Manifest) -> None:
    """Refuse a program for a game that this server does not have; its author need not have it.

    Raises:
        UploadError: the message names the game.
    """
    try:
        for name in manifest.games:
            _check_game(name)
    except ConfigurationError as error:
        raise UploadError(Reason.of("manifest_wrong", why=cause_of(error))) from error


def _check_game(name: str) -> None:
    try:
        load(name)
    except GameError as error:
        raise ConfigurationError(Reason.of("manifest_games", why=cause_of(error))) from error
