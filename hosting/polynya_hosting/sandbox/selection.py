"""Makes the configured sandbox."""

from __future__ import annotations

from pathlib import Path

from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.sandbox.bubblewrap import Bubblewrap
from polynya_hosting.sandbox.host_command import HostCommand
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.landlock import Landlock
from polynya_hosting.sandbox.no_sandbox import NO_SANDBOX

MOST_OF_WORDS = 64
"""Maximum length, in characters, of the words recorded with each match."""


def words_of(sandbox: Sandbox, limits: SandboxLimits, *, pinned: bool = False) -> str:
    """Describe a sandbox for the record: its kind, its limits, and whether cores are pinned.

    As in ``bubblewrap 0.8.0: 512 MiB, 64 processes, 1 core, pinned``; ``none`` for no sandbox.
    """
    if sandbox is NO_SANDBOX:
        return sandbox.title
    cores = "1 core" if limits.cores == 1 else f"{limits.cores} cores"
    words = f"{limits.memory_mb} MiB, {limits.processes} processes, {cores}"
    return f"{sandbox.title}: {words}{', pinned' if pinned else ''}"[:MOST_OF_WORDS]


def sandbox_of(settings: SandboxSettings) -> Sandbox:
    """Make the sandbox for hosted bots.

    Raises:
        ConfigurationError: a requirement is not installed; the message says how to install it.
    """
    match settings.driver:
        case "bubblewrap":
            return Bubblewrap([Path(path) for path in settings.paths], settings.limits)
        case "landlock":
            return Landlock([Path(path) for path in settings.paths], settings.limits)
        case "command":
            return HostCommand(settings.command, settings.limits)
        case "none":
            return NO_SANDBOX
