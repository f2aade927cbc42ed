"""What the bots that a host starts run in, and how much of the machine each may use."""

from __future__ import annotations

from typing import Literal

import msgspec

from polynya_tournaments.errors import ConfigurationError

SandboxName = Literal["none", "bubblewrap", "command"]

_RANGES = {
    "memory_mb": (16, 1_048_576),
    "processes": (1, 100_000),
    "cores": (1, 1_024),
    "cpu_s": (1, 31_536_000),
    "open_files": (16, 1_048_576),
    "file_mb": (1, 1_048_576),
    "space_mb": (1, 1_048_576),
    "output_mb": (1, 1_024),
}


class SandboxLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one process of a bot, with all that it starts, may use.

    Attributes:
        memory_mb: memory in MiB, the files in its temporary folder too.
        processes: processes and threads at the same time.
        cores: processor cores at the same time.
        cpu_s: processor time of each of its processes, in seconds.
        open_files: files and sockets that a process may have open.
        file_mb: the size of a file that it writes, in MiB.
        space_mb: the size of its temporary folder ``/tmp``, in MiB.
        output_mb: how much of what it prints is kept, in MiB; beyond it, it is read slowly.
    """

    memory_mb: int = 512
    processes: int = 64
    cores: int = 1
    cpu_s: int = 86_400
    open_files: int = 256
    file_mb: int = 64
    space_mb: int = 64
    output_mb: int = 5


class SandboxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What hosted bots run in.

    Attributes:
        sandbox: the driver; ``none`` gives them the rights of the host.
        sandbox_command: of the driver ``command``: what is started, with ``{command}`` where the
            bot's command comes, and ``{dir}`` for its folder.
        sandbox_paths: files and folders that bots may read besides the system's.
        limits: what each may use.
    """

    sandbox: SandboxName = "none"
    sandbox_command: tuple[str, ...] = ()
    sandbox_paths: tuple[str, ...] = ()
    limits: SandboxLimits = SandboxLimits()


def check_sandbox(settings: SandboxSettings) -> None:
    """Refuse what no bot can be started with.

    Raises:
        ConfigurationError: the message names the key.
    """
    words = settings.sandbox_command
    if settings.sandbox == "command" and "{command}" not in words:
        raise ConfigurationError(
            "sandbox_command: it has no '{command}', where the words of the bot's command come; "
            'write it as a list such as ["firejail", "--net=none", "{guard}", "{command}"]'
        )
    if settings.sandbox != "command" and words:
        raise ConfigurationError(
            f"sandbox_command is for sandbox = 'command', and sandbox is {settings.sandbox!r}"
        )
    for key, (least, most) in _RANGES.items():
        value = getattr(settings.limits, key)
        if not least <= value <= most:
            raise ConfigurationError(
                f"sandbox_limits.{key}: {value} is not in the range {least} to {most}"
            )
