"""Builds the settings of the duties that a sandbox leaves to ``polynya_hosting/bots/guard.py``."""

from __future__ import annotations

from collections.abc import Collection

from polynya_contest.config.sandbox_settings import SandboxLimits

MIB = 1024 * 1024


def resource_limits(limits: SandboxLimits, kept: Collection[str] = ()) -> dict[str, int]:
    """The limits that the guard sets for each process (setrlimit(2)).

    Args:
        limits: of the program.
        kept: what a control group limits for all of them together: ``memory``, ``pids``.
    """
    found = {
        "core": 0,
        "cpu": limits.cpu_s,
        "fsize": limits.file_mb * MIB,
        "nofile": limits.open_files,
    }
    if "pids" not in kept:
        # Those of the user; in a user namespace of its own, as in bubblewrap, those in it. The
        # guard is one more.
        found["nproc"] = limits.processes + 1
    if "memory" not in kept:
        found["data"] = limits.memory_mb * MIB
    return found


def settings_word(settings: dict[str, int]) -> str:
    """The settings as the guard reads them."""
    return ",".join(f"{key}={value}" for key, value in settings.items()) or "-"
