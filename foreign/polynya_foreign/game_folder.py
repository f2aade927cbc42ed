"""The file ``game.toml`` of a game folder: what it says of a game, every value checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.config.toml_files import converted, refuse_unknown
from polynya_contest.config.toml_text import parse_toml
from polynya_games import LEAST_PLAYERS, MOST_PLAYERS, UnknownGame
from polynya_games.errors import describe
from polynya_protocol.errors import printable

MANIFEST: Final = "game.toml"
MOST_BYTES: Final = 64 * 1024
"""The greatest size of ``game.toml`` and of each text and script that it names."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_DEFAULT = bool | int | str
_MOST_WORDS: Final = 32
_MOST_OPTIONS: Final = 32
_MOST_TEXT: Final = 1_000


class FolderOption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[[options]]`` of the file."""

    name: str
    default: _DEFAULT
    description: str


class GameFolder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a ``game.toml``.

    Attributes:
        name: the name of the game.
        title: its name for people.
        players: the number of players, or the least and the greatest.
        program: the command; a word that names a file of the folder is relative to it.
        build: the command line that builds the program, for people; empty if nothing is built.
        options: the set-up options.
        joint, has_view, secret_seed: as in :class:`~polynya_games.Game`.
        renderer: a script of the folder that draws positions; empty for none.
        rules: a Markdown file of the folder by language.
        workers: the number of processes.
        memory_mb: how much memory each process may use.
        answer_s: the longest wait for an answer.
        folder: where the file lies; set by the reader.
    """

    name: str
    title: str
    players: int | tuple[int, int]
    program: tuple[str, ...]
    options: tuple[FolderOption, ...] = ()
    joint: bool = False
    has_view: bool = False
    secret_seed: bool = False
    renderer: str = ""
    rules: dict[str, str] = {}
    workers: int = 1
    memory_mb: int = 1_024
    answer_s: float = 10.0
    build: str = ""
    folder: str = ""

    @property
    def seats(self) -> tuple[int, int]:
        """The least and the greatest number of players."""
        if isinstance(self.players, int):
            return self.players, self.players
        return self.players


def read_folder(folder: Path) -> GameFolder:
    """Read and check the ``game.toml`` of a folder.

    Raises:
        UnknownGame: there is none, or a value cannot be used; the message names the file, the
            value and what belongs there.
    """
    path = folder / MANIFEST
    try:
        values = parse_toml(_limited(path), MANIFEST)
        _refuse_unknown_keys(values)
        read = converted({**values, "folder": str(folder)}, GameFolder)
    except ConfigurationError as error:
        raise UnknownGame(f"{path}: {error}") from error
    for wrong in _flaws(read):
        raise UnknownGame(f"{path}: {wrong}")
    return read


def _refuse_unknown_keys(values: Mapping[str, Any]) -> None:
    own = {"folder"}  # what the reader adds
    refuse_unknown(values, [key for key in GameFolder.__struct_fields__ if key not in own], "")
    options = values.get("options")
    for number, option in enumerate(options if isinstance(options, list) else ()):
        refuse_unknown(option, FolderOption.__struct_fields__, f"options[{number}].")


def why_no_name(name: str) -> str | None:
    """Why a game in a folder cannot have this name; None if it can."""
    if _NAME.fullmatch(name) and not name.startswith("openspiel_"):
        return None
    return "is 1 to 32 of a-z, 0-9 and _, begins with a letter and not with 'openspiel_'"


def text_of(folder: Path, name: str) -> str:
    """A text file of a game folder.

    Raises:
        UnknownGame: there is none, it lies elsewhere, or it is too large or no UTF-8.
    """
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise UnknownGame(f"{folder / MANIFEST}: {describe(name)} lies outside the game's folder")
    try:
        return _limited(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnknownGame(f"{path}: the file is not UTF-8") from error


def _limited(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UnknownGame(f"{path}: there is no such file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnknownGame(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise UnknownGame(f"{path} has more than {MOST_BYTES} bytes")
    return content


def _flaws(read: GameFolder) -> list[str]:
    """Sentences on the values that cannot be used; empty if all can."""
    least, most = read.seats
    ranges: Mapping[str, tuple[Any, Any, Any]] = {
        "workers": (read.workers, 1, 64),
        "memory_mb": (read.memory_mb, 16, 65_536),
        "answer_s": (read.answer_s, 0.1, 600.0),
    }
    wrong = [
        f"{name} is from {low} to {high}, not {value}"
        for name, (value, low, high) in ranges.items()
        if not low <= value <= high
    ]
    if why := why_no_name(read.name):
        wrong.append(f"name {why}; it is {describe(read.name)}")
    if not LEAST_PLAYERS <= least <= most <= MOST_PLAYERS:
        wrong.append(
            f"players is a number or [least, greatest], from {LEAST_PLAYERS} to {MOST_PLAYERS}"
        )
    if not _is_text(read.title, 64):
        wrong.append("title is one line of 1 to 64 characters")
    if not 1 <= len(read.program) <= _MOST_WORDS or not all(map(_is_word, read.program)):
        wrong.append(f"program is a list of 1 to {_MOST_WORDS} words")
    elif "/" in read.program[0] and not (Path(read.folder) / read.program[0]).exists():
        how = f"; this builds it: {printable(read.build)}" if read.build else ""
        wrong.append(f"the program {describe(read.program[0])} is not there{how}")
    if read.secret_seed and not read.has_view:
        wrong.append("secret_seed needs has_view = true")
    return wrong + _option_flaws(read.options)


def _option_flaws(options: tuple[FolderOption, ...]) -> list[str]:
    names = [each.name for each in options]
    if len(options) > _MOST_OPTIONS or len(set(names)) != len(names):
        return [f"options are at most {_MOST_OPTIONS}, each with a name of its own"]
    return [
        f"the option {describe(each.name)} needs a name of a-z, 0-9 and _, a description of one "
        f"line, and a default within 64 bits or {_MOST_TEXT} characters"
        for each in options
        if not _NAME.fullmatch(each.name)
        or not _is_text(each.description, _MOST_TEXT)
        or (isinstance(each.default, int) and not -(2**63) <= each.default < 2**63)
        or (isinstance(each.default, str) and len(each.default) > _MOST_TEXT)
    ]


def _is_text(text: str, most: int) -> bool:
    return 0 < len(text) <= most and text.isprintable()


def _is_word(word: str) -> bool:
    return 0 < len(word) <= _MOST_TEXT and "\0" not in word
