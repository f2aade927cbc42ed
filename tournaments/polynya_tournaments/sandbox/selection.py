"""The sandbox that is configured, made."""

from __future__ import annotations

from pathlib import Path

from polynya_tournaments.config.sandbox_settings import SandboxSettings
from polynya_tournaments.sandbox.bubblewrap import Bubblewrap
from polynya_tournaments.sandbox.host_command import HostCommand
from polynya_tournaments.sandbox.interface import Sandbox
from polynya_tournaments.sandbox.landlock import Landlock
from polynya_tournaments.sandbox.no_sandbox import NO_SANDBOX


def sandbox_of(settings: SandboxSettings) -> Sandbox:
    """The sandbox for hosted bots.

    Raises:
        ConfigurationError: what it needs is not installed; the message says how it is.
    """
    match settings.sandbox:
        case "bubblewrap":
            return Bubblewrap([Path(path) for path in settings.sandbox_paths], settings.limits)
        case "landlock":
            return Landlock([Path(path) for path in settings.sandbox_paths], settings.limits)
        case "command":
            return HostCommand(settings.sandbox_command, settings.limits)
        case "none":
            return NO_SANDBOX
