"""What a sandbox leaves to the guard: see ``polynya_tournaments/bots/guard.py``."""

from __future__ import annotations

from polynya_tournaments.config.sandbox_settings import SandboxLimits

MIB = 1024 * 1024


def resource_limits(limits: SandboxLimits) -> dict[str, int]:
    """The limits of each process that every Unix can keep (setrlimit(2))."""
    return {
        "core": 0,
        "cpu": limits.cpu_s,
        "fsize": limits.file_mb * MIB,
        "nofile": limits.open_files,
    }


def settings_word(settings: dict[str, int]) -> str:
    """The settings as the guard reads them."""
    return ",".join(f"{key}={value}" for key, value in settings.items()) or "-"
