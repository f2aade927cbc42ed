"""Lists the files that a sandboxed program may read: system, Polynya's Python, its own folder."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

from polynya_common.errors import ConfigurationError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Programs and libraries; links are shown as links."""

SYSTEM_FILES = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/java-*-openjdk",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/maven/logging",
    "/etc/maven/m2.conf",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/nix/store",
)
"""Files that programs of the system need to run; none that tells of users or secrets."""

_TOO_MUCH = ("/", "/home", "/root", "/etc", "/var", "/tmp", "/proc", "/sys", "/dev", "/run")  # noqa: S108


_PACKAGES = (
    "polynya_client",
    "polynya_common",
    "polynya_contest",
    "polynya_foreign",
    "polynya_games",
    "polynya_protocol",
)
"""Our packages that a bot may import: the SDK, the rules, and what ``polynya adapt`` needs."""


def python_paths() -> list[Path]:
    """The folders of the Python that runs us, and of our packages that a bot may import.

    In a checkout the packages are outside the folder of Python.
    """
    prefixes = {Path(prefix).resolve() for prefix in (sys.base_prefix, sys.exec_prefix, sys.prefix)}
    prefixes |= {Path(sys.prefix), Path(sys.base_prefix)}
    packages = {path for path in _package_folders() if not _is_in(path, prefixes)}
    return sorted(path for path in prefixes | packages if not is_system(path))


def _package_folders() -> list[Path]:
    specs = map(importlib.util.find_spec, _PACKAGES)
    return [Path(spec.origin).parent for spec in specs if spec is not None and spec.origin]


def _is_in(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def python_links() -> dict[Path, str]:
    """The links on the way from our interpreter to its program, with their targets.

    A virtual environment may have been made by a link that lies elsewhere, such as one in
    ``~/.local/bin``; Python finds its library by following them all.
    """
    links: dict[Path, str] = {}
    path = Path(sys.executable)
    while path.is_symlink() and path not in links:
        links[path] = os.readlink(path)
        path = Path(os.path.normpath(path.parent / links[path]))
    return {
        link: target
        for link, target in links.items()
        if not is_system(link) and not _is_of_python(link)
    }


def is_system(path: Path) -> bool:
    """Whether this belongs to the system, which every sandbox shows."""
    return any(path == Path(system) or path.is_relative_to(system) for system in SYSTEM)


def is_too_much(path: Path) -> bool:
    """Whether this folder holds more than a bot should see, such as a home."""
    return str(path) in _TOO_MUCH or path == Path.home()


def existing(patterns: Iterable[str]) -> list[Path]:
    """The files and folders that these patterns name, and that are here."""
    return [path for pattern in patterns for path in sorted(Path("/").glob(pattern.lstrip("/")))]


def folder_of_command(words: Sequence[str], directory: Path) -> Path | None:
    """The folder of the first word that names a file which is not the system's; None for none."""
    links = python_links()
    for word in words:
        path = Path(os.path.normpath(directory / word))
        # Not path.is_file(): a word may be longer than a file's name can be.
        if os.path.isfile(path) and not is_system(path) and not _is_of_python(path, links):
            return path.parent
    return None


def _is_of_python(path: Path, links: Container[Path] = ()) -> bool:
    return path in links or _is_in(path, python_paths())


def check_folder(bot: str, folder: Path, private: Mapping[str, Path]) -> None:
    """Refuse a folder that would show a bot what it must not see.

    Args:
        bot: the bot's name.
        folder: that it may read.
        private: files and folders that it must not read; the key says in words what each is.

    Raises:
        ConfigurationError: the message names the folder and what is in it.
    """
    real = folder.resolve()
    advice = "put the bot into a folder of its own, and name that folder with 'folder'"
    if is_too_much(real):
        raise ConfigurationError(
            f"bot {bot}: it may read its whole folder, and {folder} holds more than a bot: {advice}"
        )
    for what, path in private.items():
        if path.resolve().is_relative_to(real):
            raise ConfigurationError(
                f"bot {bot}: it may read its whole folder {folder}, and {what} {path} is there: "
                f"{advice}"
            )
