"""What tests need besides Python's packages: where it is missing they are skipped, and say so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from tests.folders import ROOT

from polynya_hosting.kits.toolchains import TOOLS, Tool, shortcomings

CLIENTS = ROOT / "clients"
_BUILD_SECONDS = 1_800
"""Generous: the first build downloads the packages that it needs."""


def _header(name: str) -> tuple[str, ...]:
    """A command that succeeds where C++ finds this header."""
    return ("sh", "-c", f"echo '#include <{name}>' | ${{CXX:-c++}} -std=c++20 -E -x c++ -")


OF_TESTS: Mapping[str, Tool] = {
    "gofmt": Tool("gofmt", ("sh", "-c", "echo 'package p' | gofmt"), TOOLS["go"].install),
    "clippy": Tool("clippy", ("cargo", "clippy", "--version"), "rustup component add clippy"),
    "rustfmt": Tool("rustfmt", ("cargo", "fmt", "--version"), "rustup component add rustfmt"),
    "gtest": Tool("GoogleTest", _header("gtest/gtest.h"), "on Debian: apt install libgtest-dev"),
    "openssl": Tool(
        "OpenSSL's headers", _header("openssl/ssl.h"), "on Debian: apt install libssl-dev"
    ),
    "ccache": Tool("ccache", ("ccache", "--version"), "on Debian: apt install ccache"),
    "doxygen": Tool("Doxygen", ("doxygen", "--version"), "on Debian: apt install doxygen"),
    "mingw": Tool(
        "MinGW-w64 with the threads of POSIX",
        ("x86_64-w64-mingw32-g++-posix", "--version"),
        "on Debian: apt install g++-mingw-w64-x86-64-posix",
    ),
    "pkg-config": Tool(
        "pkg-config", ("pkg-config", "--version"), "on Debian: apt install pkg-config"
    ),
    "chromium": Tool("Chromium", ("chromium", "--version"), "on Debian: apt install chromium"),
    "bubblewrap": Tool(
        "bubblewrap, which makes a namespace",
        ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"),
        "on Debian: apt install bubblewrap",
    ),
    "firejail": Tool(
        "firejail, which makes a namespace",
        ("firejail", "--quiet", "--noprofile", "--net=none", "true"),
        "on Debian: apt install firejail",
    ),
    "systemd": Tool(
        "systemd's check of units",
        ("systemd-analyze", "--version"),
        "on Debian: apt install systemd",
    ),
    "namespaces of root": Tool(
        "namespaces of the kernel, with the rights of root",
        ("unshare", "--mount", "--net", "ip", "link", "set", "lo", "up"),
        "as root; on Debian: apt install iproute2",
    ),
    "containers": Tool(
        "a builder of containers, with the rights of root",
        ("sh", "-c", "test $(id -u) = 0 && podman --version && runc -v && command -v debootstrap"),
        "as root; on Debian: apt install debootstrap podman runc",
    ),
    "mount": Tool("mount", ("mount", "--version"), "on Debian: apt install mount"),
    "nginx": Tool("nginx", ("/usr/sbin/nginx", "-v"), "on Debian: apt install nginx"),
    "caddy": Tool("Caddy", ("caddy", "version"), "on Debian: apt install caddy"),
    "gnugo": Tool("GNU Go", ("/usr/games/gnugo", "--version"), "on Debian: apt install gnugo"),
    "stockfish": Tool(
        "Stockfish", ("/usr/games/stockfish", "quit"), "on Debian: apt install stockfish"
    ),
    "jar": Tool("jar", ("jar", "--version"), TOOLS["java"].install),
    "zip": Tool("zip", ("zip", "-v"), "on Debian: apt install zip"),
    "7z": Tool("7-Zip", ("7z", "--help"), "on Debian: apt install p7zip-full"),
    "bsdtar": Tool("bsdtar", ("bsdtar", "--version"), "on Debian: apt install libarchive-tools"),
    "extension modules": Tool(
        "a C compiler with Python's headers",
        (sys.executable, str(ROOT / "building" / "c_compiler.py")),
        "on Debian: apt install gcc python3-dev",
    ),
}
"""The tools that only tests need; those of the kits and SDKs are in ``starters/tools.toml``."""
_KNOWN = {**TOOLS, **OF_TESTS}


def require(*tools: str) -> None:
    """Skip unless all these tools are here; with ``POLYNYA_REQUIRE_ALL=1`` fail instead."""
    if missing := _missing(tools, os.environ.get("PATH")):
        go_without(missing)


def require_sandboxes() -> None:
    """Skip unless there are real sandboxes here, as ``require`` does."""
    if sys.platform != "linux":
        pytest.skip("only Linux has these sandboxes")
    require("bubblewrap")


def go_without(missing: str) -> NoReturn:
    """Skip with this sentence about a tool, or fail, as ``require`` does."""
    if os.environ.get("POLYNYA_REQUIRE_ALL") == "1":
        pytest.fail(f"{missing} POLYNYA_REQUIRE_ALL asks for all tools.", pytrace=False)
    pytest.skip(missing)


def found(name: str, *folders: str) -> str | None:
    """The path of a program in the PATH or in further folders; None if it is in none."""
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *folders]))


def program(tool: str) -> str:
    """The path of a tool that is a program; skips (or fails) as ``require`` does without it."""
    require(tool)
    return str(shutil.which(_KNOWN[tool].probe[0]))


@cache
def _missing(tools: tuple[str, ...], path: str | None) -> str:  # noqa: ARG001 - the answer depends on it
    """Sentences about the tools that are missing; empty if none is."""
    return " ".join(shortcomings(_KNOWN[name] for name in tools))


def run(*command: str | Path, cwd: Path) -> str:
    """What a command that must succeed prints on its standard output."""
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        text=True,
        capture_output=True,
        check=False,
        timeout=_BUILD_SECONDS,
    )
    assert result.returncode == 0, f"{command} failed:\n{result.stdout}\n{result.stderr}"
    return result.stdout


def newer(built: Path, sources: Sequence[Path]) -> bool:
    """Whether what was built is there, and no older than any of its sources."""
    return built.exists() and all(
        source.stat().st_mtime <= built.stat().st_mtime for source in sources
    )
