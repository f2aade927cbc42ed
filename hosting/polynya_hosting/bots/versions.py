"""Reads the file that lists bots by name and version, with the command that starts each.

It is TOML and not in the database, because a database is passed on with its results, and
results from elsewhere must not start programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_common.text import join_words
from polynya_contest.config.bot_names import check_name, command_words
from polynya_contest.config.toml_files import converted, read_toml, refuse_unknown
from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_protocol.errors import printable
from polynya_protocol.names import is_name, replace_invalid

DEFAULT_FILE = Path("bots.toml")
_LONGEST_NAME = 28


class BotVersion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A version of a bot.

    Attributes:
        name: see :data:`~polynya_protocol.names.FORM`.
        version: the version in its hello, as text.
        command: starts it; a list of words, or one line that is split like a shell's.
        directory: the working directory of the command; default: the file's.
        environment: variables added to the command's environment.
    """

    name: str
    version: str
    command: list[str] | str
    directory: str = "."
    environment: dict[str, str] = {}

    @property
    def label(self) -> str:
        """``NAME@VERSION``."""
        return f"{self.name}@{self.version}"

    @property
    def play_name(self) -> str:
        """The name that it plays under beside other versions of the same bot."""
        return replace_invalid(f"{self.name}-{self.version}")[:_LONGEST_NAME]


class BotVersions:
    """The versions in a file.

    Args:
        path: the file; if it does not exist, there are no versions. The default file may be
            another program's: its errors are reported when a version is requested.

    Raises:
        ConfigurationError: the message names the file, the key and what to write instead.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._there = path.exists()
        self._problem: ConfigurationError | None = None
        self._versions: tuple[BotVersion, ...] = ()
        try:
            self._versions = self._read() if self._there else ()
        except ConfigurationError as error:
            if path != DEFAULT_FILE:
                raise
            self._problem = error  # may be another program's, until a version is requested

    def _read(self) -> tuple[BotVersion, ...]:
        document = read_toml(self._path)
        try:
            refuse_unknown(document, ["bots"], "")
            tables = document.get("bots")
            for number, table in enumerate(tables if isinstance(tables, list) else []):
                refuse_unknown(table, BotVersion.__struct_fields__, f"bots[{number}].")
            found = converted(document, _File).bots
            _check(found)
        except ConfigurationError as error:
            raise ConfigurationError(f"{self._path}: {error}") from error
        return tuple(found)

    def find(self, word: str) -> BotVersion | None:
        """The version that ``NAME@VERSION`` or ``NAME`` names; None if the file has no such bot.

        Raises:
            ConfigurationError: there is no such version, or several; the message lists them.
        """
        name, at, version = word.partition("@")
        if not is_name(name):
            return None
        if at and self._problem is not None:
            raise self._problem
        of_name = [found for found in self._versions if found.name == name]
        if not at:
            return self._only(of_name)
        if not self._there:
            raise ConfigurationError(
                f"there is no {self._path} that says how {printable(word)} is started; it has "
                "[[bots]] tables with name, version and command, and --bots names another file"
            )
        for found in of_name:
            if found.version == version:
                return found
        raise ConfigurationError(f"{self._path} has no {printable(word)}; {self._known(of_name)}")

    def _only(self, of_name: Sequence[BotVersion]) -> BotVersion | None:
        if len(of_name) > 1:
            labels = join_words([found.label for found in of_name])
            raise ConfigurationError(
                f"{self._path} has several versions of {of_name[0].name}: name one of {labels}"
            )
        return of_name[0] if of_name else None

    def _known(self, of_name: Sequence[BotVersion]) -> str:
        if of_name:
            return f"it has {join_words([found.label for found in of_name])}"
        names = list(dict.fromkeys(found.name for found in self._versions))
        return f"it has versions of {join_words(names)}" if names else "it has no bots"

    def configuration(self, found: BotVersion, name: str) -> BotConfiguration:
        """The configuration of a bot that runs a version under a separate name."""
        directory = str(self._path.resolve().parent / Path(found.directory).expanduser())
        return BotConfiguration(
            name=name,
            command=found.command,
            directory=directory,
            environment=found.environment,
            folder=None if found.directory == "." else directory,
        )


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    bots: list[BotVersion]


def _check(versions: Sequence[BotVersion]) -> None:
    labels = [found.label for found in versions]
    for number, found in enumerate(versions):
        key = f"bots[{number}]"
        check_name(found.name, f"{key}.name")
        if not found.version.strip():
            raise ConfigurationError(f"{key}.version: it is empty")
        if found.label in labels[:number]:
            raise ConfigurationError(f"{key}: {found.label} occurs twice")
        try:
            command = found.command
            words = command_words(command) if isinstance(command, str) else command
        except ValueError as error:
            raise ConfigurationError(f"{key}.command: {error} in {found.command!r}") from error
        if not words:
            raise ConfigurationError(f"{key}.command: it is empty")
