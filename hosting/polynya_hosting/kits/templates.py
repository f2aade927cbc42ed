"""Starter kits: a project in some language around a bot that builds and plays at once.

A kit is the templates in ``starters/<language>`` (names end in ``.in``; ``@NAME@``, ``@GAME@``,
``@NEEDS@``, ``@BUILD@``, ``@RUN@`` and others stand for the values) and a copy of the SDK's
sources in ``sdk``, so that it builds without any published package of Polynya.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec.toml

from polynya_common.errors import ConfigurationError, RunError
from polynya_common.extras import shipped
from polynya_common.text import join_words
from polynya_contest.config.builtin_bots import rival_in
from polynya_hosting.kits.toolchains import TOOLS, Tool
from polynya_protocol.names import why_not_new

_TEMPLATES = Path(__file__).with_name("starters")
_SUFFIX = ".in"
_NOT_SOURCES = shutil.ignore_patterns("__pycache__", "*_test.go", "node_modules", "target")


class Kit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The starter kit of a language.

    Attributes:
        program: the bot's source file.
        needs: the tools that build and run it, by their names in ``tools.toml``.
        build: command lines that build it, in its folder.
        run: the command line that starts the bot; in ``KITS`` with ``@NAME@`` for its name.
        sdk: where the SDK's sources are in ``clients``.
        sources: the files and folders there that are copied to ``sdk``, as patterns.
        hosted_build, hosted_run: the same after an upload to a server; None if equal.
        mirrors: the hosts that a build on a server reaches; see ``uploads.mirrors``.
        vendor: a command that puts the packages into the folder instead; empty if there is none.
        downloads: where the first build downloads packages from; empty if it needs no network.
    """

    program: str
    needs: tuple[str, ...]
    build: tuple[str, ...]
    run: str
    sdk: str
    sources: tuple[str, ...]
    downloads: str = ""
    hosted_build: tuple[str, ...] | None = None
    hosted_run: str | None = None
    mirrors: tuple[str, ...] = ()
    vendor: str = ""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that it needs."""
        return tuple(TOOLS[name] for name in self.needs)

    @property
    def network(self) -> str:
        """A sentence that says what the first build downloads."""
        if not self.downloads:
            return "It builds without a network."
        return f"The first build downloads packages from {self.downloads}."

    @property
    def upload_advice(self) -> str:
        """Sentences that say what a server must have to build it."""
        if not self.mirrors:
            return "The server builds it without a network."
        hosts = join_words([f"`{host}`" for host in self.mirrors])
        instead = f", or this puts the packages into the folder: `{self.vendor}`"
        return (
            f"The server's builds must reach {hosts} (its setting `uploads.mirrors`)"
            f"{instead if self.vendor else ''}."
        )


KITS: Mapping[str, Kit] = msgspec.toml.decode(
    (_TEMPLATES / "kits.toml").read_bytes(), type=dict[str, Kit]
)
"""The kits by language; ``bridge`` is for any language, over standard input and output."""


def write_kit(language: str, game: str, folder: Path) -> Kit:
    """Write a kit into a new (or empty) folder; the bot is named after the folder.

    Raises:
        ConfigurationError: there is no such kit, or the folder's name cannot be a bot's.
        RunError: the folder is not empty, or cannot be written.
    """
    if language not in KITS:
        raise ConfigurationError(
            f"there is no kit for {language!r}; there are {join_words(list(KITS))}"
        )
    name = _bot_name(folder)
    kit = kit_of(language, name)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunError(f"{folder} is there already, and not empty: nothing is overwritten")
        folder.mkdir(parents=True, exist_ok=True)
        _copy_sdk(kit, folder / "sdk")
        words = _words(kit, name, game) | {"@LANGUAGE@": language}
        _fill_templates(_TEMPLATES / language, folder, words)
        _fill_templates(_TEMPLATES / "any", folder, words)
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror or error}") from error
    return kit


def kit_of(language: str, name: str) -> Kit:
    """The kit of a language for a bot of this name.

    Raises:
        KeyError: there is no such kit.
    """
    kit = KITS[language]
    return msgspec.structs.replace(kit, run=kit.run.replace("@NAME@", name))


def first_program(language: str, name: str, game: str) -> str:
    """The source of the bot in a kit: it plays any legal step.

    Raises:
        KeyError: there is no such kit.
    """
    kit = KITS[language]
    template = _TEMPLATES / language / f"{kit.program}{_SUFFIX}"
    return _filled(template.read_text("utf-8"), _words(kit, name, game))


def _bot_name(folder: Path) -> str:
    name = folder.resolve().name
    wrong = why_not_new(name)
    if wrong is not None:
        raise ConfigurationError(f"the bot is named after its folder, and not {name!r}: {wrong}")
    return name


def _words(kit: Kit, name: str, game: str) -> dict[str, str]:
    return {
        "@NAME@": name,
        "@GAME@": game,
        "@RIVAL@": rival_in(game),
        "@NEEDS@": _needs(kit),
        "@BUILD@": "\n".join(f"$ {line}" for line in kit.build),
        "@HOSTED_BUILD@": json.dumps(kit.build if kit.hosted_build is None else kit.hosted_build),
        "@HOSTED_RUN@": kit.hosted_run or kit.run,
        "@RUN@": kit.run,
        "@UPLOADING@": kit.upload_advice,
    }


def _needs(kit: Kit) -> str:
    """List the tools and the use of the network, in Markdown."""
    lines = [f"- {tool.wanted} ({tool.install})" for tool in kit.tools]
    return "\n".join([*lines, "", kit.network])


def _clients() -> Path:
    """The folder with the SDKs' sources: in the wheel, or in a checkout."""
    return shipped("sdks", "clients")


def _copy_sdk(kit: Kit, target: Path) -> None:
    home = _clients() / kit.sdk
    found = [path for pattern in kit.sources for path in sorted(home.glob(pattern))]
    if not found:
        raise RunError(f"the sources of the SDK are not in {home}: install Polynya anew")
    target.mkdir()
    for path in found:
        if path.is_dir():
            shutil.copytree(path, target / path.name, ignore=_NOT_SOURCES)
        elif not path.match("*_test.go"):
            shutil.copyfile(path, target / path.name)


def _fill_templates(templates: Path, folder: Path, words: Mapping[str, str]) -> None:
    for template in sorted(templates.rglob(f"*{_SUFFIX}")):
        text = _filled(template.read_text("utf-8"), words)
        target = folder / template.relative_to(templates).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text
