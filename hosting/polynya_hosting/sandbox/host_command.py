"""The driver for a command of the host: a container, firejail, or any other sandbox program.

``sandbox.command`` is the command, word by word. In it stand for

- ``{command}``: the words of the bot's command;
- ``{dir}``: the bot's folder;
- ``{guard}``, before ``{command}``: the guard, which then runs inside. It makes the socket that the
  bot connects to, so a network of the sandbox's own can be empty. The command must hand on its
  standard input, and show the guard Python and its file. Without it, the guard stands before the
  command, and the bot connects to the server's address: its network is the command's affair.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_hosting.sandbox.containment import Rights, flaw_of_command, rights_here
from polynya_hosting.sandbox.control_groups import control_group
from polynya_hosting.sandbox.guard_settings import MIB, resource_limits, settings_word
from polynya_hosting.sandbox.interface import Hears, Program
from polynya_hosting.sandbox.limited_box import LimitedBox
from polynya_hosting.sandbox.runtime_limits import runtime_variables

_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ")
"""Variables of ours that tell nothing of the host's affairs."""

_OF_TOOLS = ("HOME", "USER", "XDG_RUNTIME_DIR")
"""Variables that tools such as podman need. SHLVL keeps bash from taking a socket as its standard
input for a login over the network, for which it reads ~/.bashrc."""

_GUARD = "{guard}"
_HELPERS = 8
"""How many processes a command may have beside the bot's."""


class HostCommand:
    """The driver ``command``.

    Args:
        command: the setting ``sandbox.command``.
        limits: what the guard can limit; the rest is the command's.

    Attributes:
        title, hears: see :class:`~polynya_hosting.sandbox.interface.Sandbox`.
    """

    def __init__(self, command: Sequence[str], limits: SandboxLimits) -> None:
        self.title = f"command {os.path.basename(command[0])}"
        self.hears: Hears = "guard" if _GUARD in command else "address"
        self._command = command
        self._limits = limits

    def flaw(self, inside: Rights) -> str:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        return flaw_of_command(rights_here(), inside)

    def lend(self, folder: Path) -> None:
        """Do nothing: the command itself decides which programs may write into the folder."""

    @contextmanager
    def enclose(
        self, program: Program, guard: Sequence[str], *, only_try: bool = False
    ) -> Iterator[LimitedBox]:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        inside = self.hears == "guard"
        with control_group(self._limits, helpers=_HELPERS) as group:
            settings = resource_limits(self._limits, group.keeps)
            if inside:
                settings["listen"] = 1
            guarding = [*guard, settings_word({"try": 1} if only_try else settings)]
            # A guard before the command sees only whether the command's own program is there.
            tried = self._command[:1] if only_try and not inside else self._command
            words = [found for word in tried for found in self._replaced(word, program, guarding)]
            yield LimitedBox(
                group.joined(words if inside else [*guarding, *words]),
                {
                    **host_environment(_OF_TOOLS),
                    "SHLVL": "1",
                    **runtime_variables(self._limits),
                    **_own_variables(program, inside),
                },
                program.directory,
                inside and not only_try,
                self._limits.output_mb * MIB,
                group,
                self._limits.memory_mb,
            )

    @staticmethod
    def _replaced(word: str, program: Program, guard: Sequence[str]) -> Sequence[str]:
        if word == "{command}":
            return program.words
        if word == _GUARD:
            return guard
        return [word.replace("{dir}", str(program.folder or program.directory))]


def _own_variables(program: Program, inside: bool) -> dict[str, str]:
    """The program's variables; the home of a build is for the guard inside, not for the command."""
    own = dict(program.environment)
    if program.room is not None and (home := own.pop("HOME", None)) is not None and inside:
        own["POLYNYA_BUILD_HOME"] = home
    return own


def host_environment(more: Sequence[str] = ()) -> dict[str, str]:
    """The host's variables that a program in a sandbox gets; ``more`` names further ones."""
    return {name: os.environ[name] for name in (*_PASSED_ON, *more) if name in os.environ}
