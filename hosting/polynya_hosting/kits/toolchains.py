"""Probes the tools that starter kits and SDKs need, and says how to install missing ones.

A tool is a program, a library or a header. Its probe, a command that succeeds where the tool works,
shows whether it is installed; a name on ``PATH`` alone does not (a stub, an incomplete package).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec.toml

from polynya_common.text import join_words

_TOOLS = Path(__file__).parent / "starters" / "tools.toml"
_SECONDS = 60
"""Generous timeout: the slowest probe, Maven's, takes a second on an idle machine."""


class Tool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool, with its probe and the way to install it.

    Attributes:
        title: for people, as in ``CMake``.
        probe: a command that succeeds where the tool works, and prints its version.
        install: how to get it, as in ``on Debian: apt install cmake`` or an address.
        oldest: the oldest sufficient version, as in ``3.21``; empty if any is.
    """

    title: str
    probe: tuple[str, ...]
    install: str
    oldest: str = ""

    @property
    def wanted(self) -> str:
        """The tool with its required version, as in ``CMake 3.21 or newer``."""
        return f"{self.title} {self.oldest} or newer" if self.oldest else self.title


TOOLS: Mapping[str, Tool] = msgspec.toml.decode(_TOOLS.read_bytes(), type=dict[str, Tool])
"""The tools of the kits and SDKs, by the names that these use."""


def listed_tools(tools: Iterable[Tool]) -> str:
    """List the tools as a part of a sentence."""
    return join_words([tool.wanted for tool in tools])


def shortcomings(tools: Iterable[Tool]) -> list[str]:
    """A sentence for each tool that is missing or too old, with the way to install it."""
    return [sentence for tool in tools if (sentence := _shortcoming(tool))]


def _shortcoming(tool: Tool) -> str | None:
    printed = _printed(tool.probe)
    if printed is None:
        return f"Missing here: {tool.wanted} ({tool.install})."
    version = re.search(r"\d+(?:\.\d+)*", printed)
    if tool.oldest and (version is None or _parts(version[0]) < _parts(tool.oldest)):
        found = version[0] if version else "of an unknown version"
        return f"Too old here: {tool.title} {found}; {tool.oldest} is needed ({tool.install})."
    return None


def _printed(command: Sequence[str]) -> str | None:
    """A command's standard output; None if it cannot be started or fails."""
    try:
        done = subprocess.run(  # noqa: S603 - one of our own probes
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
