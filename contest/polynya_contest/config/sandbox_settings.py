"""Settings of the sandbox for hosted bots: memory, processes and disk that each may use."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.pairing.formats.format_settings import check_ranges
from polynya_server.settings import ranged, setting

SandboxName = Literal["none", "bubblewrap", "landlock", "command"]


class SandboxLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one process of a bot, with all that it starts.

    Attributes:
        memory_mb: memory in MiB, the files in its temporary folder too.
        processes: processes and threads at the same time.
        cores: processor cores at the same time.
        cpu_s: processor time of each of its processes, in seconds.
        open_files: files and sockets that a process may have open.
        file_mb: the size of a file that it writes, in MiB.
        space_mb: the size of its temporary folder ``/tmp``, in MiB.
        output_mb: how much of its output is kept, in MiB; further output is read slowly.
    """

    memory_mb: Annotated[int, ranged(16, 1_048_576)] = 512
    processes: Annotated[int, ranged(1, 100_000)] = 64
    cores: Annotated[int, ranged(1, 1_024)] = 1
    cpu_s: Annotated[int, ranged(1, 31_536_000)] = 86_400
    open_files: Annotated[int, ranged(16, 1_048_576)] = 256
    file_mb: Annotated[int, ranged(1, 1_048_576)] = 64
    space_mb: Annotated[int, ranged(1, 1_048_576)] = 64
    output_mb: Annotated[int, ranged(1, 1_024)] = 5


class SandboxSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The sandbox of hosted bots: the table ``[sandbox]`` of a tournament and a standing server.

    Attributes:
        driver: ``none`` gives them the rights of the host.
        command: of the driver ``command``: what is started, with ``{command}`` where the bot's
            command comes, and ``{dir}`` for its folder.
        paths: files and folders that bots may read besides the system's.
        limits: what each may use.
    """

    driver: Annotated[
        SandboxName,
        setting(
            "The sandbox of tournaments that the operator's pages start, unless their description "
            "names one: none, bubblewrap, landlock or command. Uploaded bots always run in a "
            "sandbox, by default in bubblewrap."
        ),
    ] = "none"
    command: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    limits: SandboxLimits = SandboxLimits()


def check_sandbox(settings: SandboxSettings) -> None:
    """Refuse limits under which no bot can start.

    Raises:
        ConfigurationError: the message names the key.
    """
    words = settings.command
    if settings.driver == "command" and "{command}" not in words:
        raise ConfigurationError(
            "sandbox.command: it has no '{command}', where the words of the bot's command come; "
            'write it as a list such as ["firejail", "--net=none", "{guard}", "{command}"]'
        )
    if settings.driver != "command" and words:
        raise ConfigurationError(
            f"sandbox.command is for the driver 'command', and the driver is {settings.driver!r}"
        )
    check_ranges(settings.limits, "sandbox.limits.")
