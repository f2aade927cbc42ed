"""Finds the tools for builds on this machine, and the environment variables that they need.

The system's tools are visible in every sandbox. Tools elsewhere, such as Rust's in a home folder,
are made visible, too, each with the folder that it was installed into.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polynya_hosting.kits.templates import KITS
from polynya_hosting.sandbox.visible_files import is_system, is_too_much, python_paths

_TRUST: Final = (
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
)
"""Variables that name the certificates that tools trust, for hosts that have their own."""

_PROXY: Final = "http://{POLYNYA_HOST}:{POLYNYA_PORT}"
_JAVA_PROXY: Final = " ".join(
    (
        "-Dhttps.proxyHost={POLYNYA_HOST}",
        "-Dhttps.proxyPort={POLYNYA_PORT}",
        "-Daether.connector.http.useSystemProperties=true",  # Maven 3.9 and newer
    )
)
NETWORK: Final[Mapping[str, str]] = {
    **dict.fromkeys(("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"), _PROXY),
    "NO_PROXY": "localhost,127.0.0.1",
    "CARGO_HTTP_PROXY": _PROXY,
    "npm_config_https_proxy": _PROXY,
    "GOTOOLCHAIN": "local",
    "MAVEN_OPTS": _JAVA_PROXY,
    "GRADLE_OPTS": _JAVA_PROXY,
    "npm_config_update_notifier": "false",
    "npm_config_audit": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
"""How tools find the proxy of a build; the guard writes its address into them."""


@dataclass(frozen=True)
class BuildTools:
    """The tools of this machine that do not belong to its system.

    Attributes:
        paths: the folders that they were installed into, to be shown in sandboxes.
        search: the folders of their programs.
    """

    paths: tuple[Path, ...]
    search: tuple[Path, ...]

    def environment(self, before: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
        """All variables of a build.

        Args:
            before: those of every program, with ``PATH``.
            more: what the host says of its tools and mirrors; it wins.
        """
        trusted = {name: os.environ[name] for name in _TRUST if name in os.environ}
        first, _, rest = before.get("PATH", os.defpath).partition(os.pathsep)  # our Python's
        path = os.pathsep.join([first, *map(str, self.search), rest])
        return {**NETWORK, **trusted, **before, "PATH": path, **more}


def find_build_tools() -> BuildTools:
    """The tools of the starter kits' languages on this machine; blocking."""
    programs = dict.fromkeys(tool.probe[0] for kit in KITS.values() for tool in kit.tools)
    folders = [folder for name in programs if (folder := _program_folder(name)) is not None]
    shown = [_installed_in(folder) for folder in folders]
    both = [
        (path, folder)
        for path, folder in zip(shown, folders, strict=True)
        if not is_too_much(path) and not _is_ours(path)
    ]
    return BuildTools(_once(path for path, _ in both), _once(folder for _, folder in both))


def _program_folder(name: str) -> Path | None:
    """The folder of a program; None if it is missing, or belongs to the system."""
    found = shutil.which(name)
    if found is None:
        return None
    real = Path(found).resolve()
    if real.name == "rustup":  # it stands before the tools, and chooses one by files of the home
        toolchain = _rust_toolchain()
        return None if toolchain is None else toolchain / "bin"
    return None if is_system(real) else real.parent


def _rust_toolchain() -> Path | None:
    try:
        done = subprocess.run(
            ["rustc", "--print", "sysroot"],  # noqa: S607 - the one that the host's PATH has
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return Path(done.stdout.strip())


def _installed_in(folder: Path) -> Path:
    return folder.parent if folder.name == "bin" else folder


def _is_ours(path: Path) -> bool:
    """Whether this is our Python, or above it."""
    return any(path.is_relative_to(own) or own.is_relative_to(path) for own in python_paths())


def _once(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(paths))
