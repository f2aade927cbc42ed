"""Packs bots and folders of games into archives named by SHA-256; unpacks each once per worker."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_hosting.bots.bot_process import command_of
from polynya_hosting.sandbox.visible_files import check_folder, folder_of_command, is_system
from polynya_protocol.errors import printable
from polynya_tournaments.distribution.block_messages import PortableBot
from polynya_tournaments.distribution.folder_archives import is_packed, pack_folder, unpack_folder
from polynya_tournaments.distribution.game_archive import pack_game


class BotArchives:
    """The bots of a tournament, and the folder of its game, as they travel.

    Args:
        folder: for the archives: those of all bots may be more than the memory holds.

    Attributes:
        bots: by name.
        game: SHA-256 of the archive of the game's folder; None for an installed game.
    """

    def __init__(self, folder: Path) -> None:
        self.bots: dict[str, PortableBot] = {}
        self.game: str | None = None
        self._folder = folder

    def content(self, digest: str) -> bytes:
        """An archive, by its SHA-256."""
        return (self._folder / digest).read_bytes()

    def add_game(self, name: str, private: Mapping[str, Path]) -> None:
        """Pack the folder of a game, if it is not an installed one; ``private`` as in :meth:`add`.

        Raises:
            ConfigurationError: its folder cannot travel; the message says what to do.
        """
        content = pack_game(name, private)
        if content is not None:
            self.game = self._written(content)

    def add(self, bot: BotConfiguration, private: Mapping[str, Path]) -> None:
        """Pack a bot; ``private`` are files and folders that must not travel, by their description.

        Raises:
            ConfigurationError: its folder cannot travel; the message says what to do.
        """
        if bot.builtin is not None:
            self.bots[bot.name] = PortableBot(
                name=bot.name, builtin=bot.builtin, environment=bot.environment
            )
            return
        command = command_of(bot)
        home = Path(os.path.abspath(command.directory or os.curdir))
        given = None if command.folder is None else Path(os.path.abspath(command.folder))
        folder = given or folder_of_command(command.words, home)
        archive = None if folder is None else self._packed(bot.name, folder, private)
        portable = _portable(folder)
        inside = folder is not None and home.is_relative_to(folder)
        words = [_word(bot.name, word, home, folder) for word in command.words]
        self.bots[bot.name] = PortableBot(
            name=bot.name,
            words=tuple(map(portable, words)),
            environment={key: portable(value) for key, value in command.environment.items()},
            directory=portable(str(home)) if inside else None,
            folder=None if folder is None else "{bot}",
            archive=archive,
            upload=bot.upload,
        )

    def _packed(self, name: str, folder: Path, private: Mapping[str, Path]) -> str:
        check_folder(name, folder, private)
        try:
            content = pack_folder(folder)
        except (ConfigurationError, OSError) as error:
            raise ConfigurationError(
                f"bot {name}: its folder cannot be sent to workers: {error}; put the bot into a "
                "folder of its own, and name it with 'folder' if it is another than the program's"
            ) from error
        return self._written(content)

    def _written(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        (self._folder / digest).write_bytes(content)
        return digest


def _word(name: str, word: str, home: Path, folder: Path | None) -> str:
    """A word of a bot's command as it is understood where its folder lies elsewhere.

    Raises:
        ConfigurationError: it names a file of the folder that does not travel.
    """
    path = Path(os.path.normpath(home / word))
    if _is_our_python(path):
        return sys.executable
    if folder is None or not path.is_relative_to(folder) or not os.path.exists(path):
        return word
    if not is_packed(path, folder):
        raise ConfigurationError(
            f"bot {name}: its command names {printable(word)}, and virtual environments and caches "
            "are not sent to workers: name a program that is on each worker, such as python3"
        )
    return word if home.is_relative_to(folder) else str(path)


def _is_our_python(path: Path) -> bool:
    ours = Path(sys.executable)
    return path.parent == ours.parent and path.resolve() == ours.resolve()


def _portable(folder: Path | None) -> Callable[[str], str]:
    """Puts the placeholders into a text."""
    named = {path: placeholder for placeholder, path in _of_installation().items()}
    if folder is not None:
        named[str(folder)] = "{bot}"
    return partial(_replaced, named)


def _of_installation() -> dict[str, str]:
    """The paths that differ between installations, by placeholder."""
    paths = {
        "{sdk}": builtin_command("random").environment["PYTHONPATH"],
        "{python}": sys.executable,
    }
    programs = Path(sys.executable).parent
    return paths if is_system(programs) else {**paths, "{programs}": str(programs)}


def _replaced(by_text: Mapping[str, str], text: str) -> str:
    """A text with paths, or placeholders, replaced: also in ``--file=PATH`` and ``PATH:PATH``."""
    longest_first = sorted(by_text, key=len, reverse=True)  # one may be in another
    each = "|".join(map(re.escape, longest_first))
    return re.sub(rf"(?<![^=:])({each})(?=$|[/:])", lambda found: by_text[found[1]], text)


def portable_sandbox(settings: SandboxSettings) -> SandboxSettings:
    """A sandbox whose paths name the installation by placeholders."""
    portable = _portable(None)
    paths = tuple(portable(path) for path in settings.paths)
    return msgspec.structs.replace(settings, paths=paths)


def local_sandbox(settings: SandboxSettings) -> SandboxSettings:
    """The same with the paths of this installation."""
    paths = tuple(_replaced(_of_installation(), path) for path in settings.paths)
    return msgspec.structs.replace(settings, paths=paths)


class UnpackedBots:
    """The archives of bots and games that a worker has unpacked, in a folder of its own.

    Args:
        folder: made if missing; several processes may share it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def missing(self, digests: set[str]) -> set[str]:
        """The archives that are missing here."""
        return {digest for digest in digests if not self.path(digest).is_dir()}

    def path(self, digest: str) -> Path:
        """Where an archive is, or will be, unpacked."""
        return self._folder / digest

    def add(self, digest: str, content: bytes) -> None:
        """Unpack an archive, if it is not here.

        Raises:
            ConfigurationError: its content does not match its hash.
            OSError: the folder cannot be written.
        """
        if hashlib.sha256(content).hexdigest() != digest:
            raise ConfigurationError(f"the archive {digest} arrived with other contents")
        target = self.path(digest)
        if target.is_dir():
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        # In a folder of its own first: another process of this worker may do the same.
        with tempfile.TemporaryDirectory(dir=self._folder) as beside:
            unpack_folder(content, Path(beside) / "bot")
            try:
                (Path(beside) / "bot").rename(target)
            except OSError:
                if not target.is_dir():
                    raise

    def clear(self) -> None:
        """Remove everything."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def configuration(self, bot: PortableBot, empty: Path) -> BotConfiguration:
        """A bot as it is started here; ``empty`` is the working directory of one without files."""
        if bot.builtin is not None:
            return BotConfiguration(name=bot.name, builtin=bot.builtin, environment=bot.environment)
        here = _of_installation()
        if bot.archive is not None:
            here["{bot}"] = str(self.path(bot.archive))

        def local(text: str) -> str:
            return _replaced(here, text)

        return BotConfiguration(
            name=bot.name,
            command=[local(word) for word in bot.words or ()],
            environment={key: local(value) for key, value in bot.environment.items()},
            directory=str(empty) if bot.directory is None else local(bot.directory),
            folder=None if bot.folder is None else local(bot.folder),
            upload=bot.upload,
        )
