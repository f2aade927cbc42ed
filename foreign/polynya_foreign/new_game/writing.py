"""Writes a game folder in some language: a Nim whose rules are a program that works."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from polynya_common.errors import ConfigurationError, RunError
from polynya_common.text import join_words
from polynya_foreign.game_folder import why_no_name
from polynya_games import installed
from polynya_hosting.kits.toolchains import TOOLS, Tool

_TEMPLATES: Final = Path(__file__).with_name("templates")
_SUFFIX: Final = ".in"


class GameTemplate(msgspec.Struct, frozen=True):
    """The game folder of a language.

    Attributes:
        title: the language for people.
        source: the file with the rules.
        program: the command that starts them.
        needs: the tools that build and run it, by their names in ``tools.toml``.
        build: the command line that builds it, in its folder; empty if nothing is built.
    """

    title: str
    source: str
    program: tuple[str, ...]
    needs: tuple[str, ...]
    build: str = ""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that it needs."""
        return tuple(TOOLS[name] for name in self.needs)


TEMPLATES: Final[Mapping[str, GameTemplate]] = {
    "python": GameTemplate("Python", "rules.py", ("python3", "rules.py"), ("python",)),
    "go": GameTemplate("Go", "main.go", ("./rules",), ("go",), "go build -o rules"),
    "rust": GameTemplate(
        "Rust", "src/main.rs", ("./target/release/rules",), ("cargo",), "cargo build --release"
    ),
    "javascript": GameTemplate("JavaScript", "rules.mjs", ("node", "rules.mjs"), ("node",)),
}
"""The game folders by language; none downloads anything."""


def write_game(language: str, folder: Path) -> GameTemplate:
    """Write a game into a new (or empty) folder; the game is named after the folder.

    Raises:
        ConfigurationError: there is no such language, or the folder's name cannot be a game's.
        RunError: the folder is not empty, or cannot be written.
    """
    if language not in TEMPLATES:
        languages = join_words(list(TEMPLATES))
        raise ConfigurationError(f"there is no game in {language!r}; there are {languages}")
    template, name = TEMPLATES[language], _name_of(folder)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunError(f"{folder} is there already, and not empty: nothing is overwritten")
        folder.mkdir(parents=True, exist_ok=True)
        for part in ("any", language):
            _fill(_TEMPLATES / part, folder, _words(template, name))
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror or error}") from error
    return template


def _name_of(folder: Path) -> str:
    name = folder.resolve().name
    wrong = ""
    if why := why_no_name(name):
        wrong = f"a name {why}"
    elif name in installed():
        wrong = "an installed game has this name"
    if wrong:
        raise ConfigurationError(
            f"the game is named after its folder, and cannot be called {name!r}: {wrong}"
        )
    return name


def _words(template: GameTemplate, name: str) -> dict[str, str]:
    build = template.build
    return {
        "@NAME@": name,
        "@TITLE@": name.replace("_", " ").strip().capitalize(),
        "@LANGUAGE@": template.title,
        "@SOURCE@": template.source,
        "@PROGRAM@": json.dumps(template.program),
        "@BUILD_KEY@": f"build = {json.dumps(build)}\n" if build else "",
        "@BUILD_TEXT@": f"\nBuild it first, and after each change: `{build}`.\n" if build else "",
    }


def _fill(templates: Path, folder: Path, words: Mapping[str, str]) -> None:
    for template in sorted(templates.rglob(f"*{_SUFFIX}")):
        text = template.read_text("utf-8")
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        target = folder / template.relative_to(templates).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
