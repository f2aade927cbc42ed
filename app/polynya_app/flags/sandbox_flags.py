"""The sandbox of the bots that a command starts, as flags."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.flags.parameters import read_options
from polynya_common.errors import ConfigurationError
from polynya_contest.config.command_words import command_words
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxName
from polynya_contest.config.toml_files import converted, refuse_unknown

_REPEATED = {"negative": "", "show_default": False, "json_list": False}


@Parameter(name="*", group="Sandbox")
@dataclass(frozen=True)
class SandboxFlags:
    """The sandbox that keeps bots from files and processes that are not their own."""

    sandbox: Annotated[
        SandboxName | None,
        Parameter(
            help="The sandbox of the bots that this command starts; with none they have your "
            "rights. A bot that cannot start in it is an error. [default: none]"
        ),
    ] = None
    sandbox_command: Annotated[
        str | None,
        Parameter(
            help="For --sandbox command: a command line with {command}, {dir} and {guard} in it; "
            "docs/hosting/sandboxes.md explains them."
        ),
    ] = None
    sandbox_path: Annotated[
        tuple[str, ...],
        Parameter(
            help="A file or folder that bots may read besides the system's; may be repeated.",
            **_REPEATED,
        ),
    ] = ()
    sandbox_limit: Annotated[
        tuple[str, ...],
        Parameter(
            help="A limit of each process of a bot, such as memory_mb=256; may be repeated. There "
            f"are {', '.join(SandboxLimits.__struct_fields__)}.",
            **_REPEATED,
        ),
    ] = ()


def sandbox_words(flags: SandboxFlags | None) -> dict[str, Any]:
    """The settings of a tournament that were given, by name.

    Raises:
        ConfigurationError: one of them says nothing that could be done.
    """
    if flags is None:
        return {}
    found: dict[str, Any] = {}
    if flags.sandbox is not None:
        found["sandbox"] = flags.sandbox
    if flags.sandbox_command is not None:
        try:
            found["sandbox_command"] = command_words(flags.sandbox_command)
        except ValueError as error:
            raise ConfigurationError(
                f"--sandbox-command: {flags.sandbox_command!r} is no command line: {error}"
            ) from error
    if flags.sandbox_path:
        found["sandbox_paths"] = [str(Path(path).absolute()) for path in flags.sandbox_path]
    if flags.sandbox_limit:
        document: dict[str, Any] = read_options(flags.sandbox_limit, "--sandbox-limit")
        refuse_unknown(document, SandboxLimits.__struct_fields__, "--sandbox-limit ")
        found["sandbox_limits"] = converted(document, SandboxLimits)
    return found
