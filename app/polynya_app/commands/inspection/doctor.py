"""``polynya doctor``: is this machine fit for hosting?"""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polynya_app.application import DONE, FAILED
from polynya_app.console.announcements import configure_logs
from polynya_app.console.output import write_json, write_line
from polynya_app.diagnostics import examine
from polynya_app.flags.flag_groups import SandboxFlags, in_sandbox
from polynya_app.flags.parameters import Json
from polynya_common.errors import ConfigurationError
from polynya_contest.config.sandbox_settings import SandboxSettings, check_sandbox
from polynya_contest.config.setting_tables import SANDBOX, refuse_flat, refuse_unknown_settings
from polynya_contest.config.toml_files import converted, read_toml
from polynya_hosting.self_test.sandbox_self_test import SelfTest, self_test

_MARKS = {"good": "good", "fair": "FAIR", "bad": "BAD "}


async def doctor(
    settings: Annotated[Path | None, Parameter(show_default=False)] = None,
    /,
    *,
    folder: Path = Path(),
    sandbox: Annotated[bool, Parameter(negative="")] = False,
    sandbox_command: str | None = None,
    as_json: Json = False,
) -> int:
    """Check whether this machine is fit for hosting contests.

    The command checks versions, limits of the system, cores, clock, memory and the
    disk, and writes a sentence on each. "Fair" limits the number of bots or the
    precision of their times; repair what is "bad" before you host. Exit code 1 if
    anything is bad.

    With --sandbox it runs a hostile program in each sandbox instead, and lists the
    attacks that each sandbox stops and those that it does not. Exit code 0 if the
    configured sandbox stops all attacks; that is bubblewrap, unless SETTINGS or
    --sandbox-command names another. "Builds", for servers with uploads, says
    whether a build can exceed its disk limit.

    Args:
        settings: With --sandbox: a description of a tournament or the settings of a server, whose
            sandbox is the configured one.
        folder: Where the database will be; a file of a few KB is written there and removed.
        sandbox: Test the sandboxes; this takes some seconds.
        sandbox_command: The command of the driver 'command', which is then the configured one.
        as_json: Write JSON instead of sentences.
    """
    if sandbox or sandbox_command is not None:
        return await _test_sandboxes(_configured(settings, sandbox_command), as_json=as_json)
    if settings is not None:
        raise ConfigurationError(f"{settings}: a file with settings is for --sandbox")
    if not folder.is_dir():
        raise ConfigurationError(f"there is no folder {folder}")
    findings = examine(folder.resolve())
    if as_json:
        write_json([dataclasses.asdict(finding) for finding in findings])
    else:
        for finding in findings:
            write_line(f"{_MARKS[finding.verdict]}  {finding.subject}: {finding.sentence}")
    return FAILED if any(finding.verdict == "bad" for finding in findings) else DONE


def _configured(file: Path | None, command: str | None) -> SandboxSettings:
    """The sandbox that must contain all."""
    document = {} if file is None else read_toml(file)
    refuse_flat(document, [SANDBOX])
    refuse_unknown_settings(document, [SANDBOX])
    given = {"driver": "bubblewrap", **document.get("sandbox", {})}
    settings = converted(given, SandboxSettings, "sandbox")
    if command is not None:
        settings = in_sandbox(settings, SandboxFlags(sandbox="command", sandbox_command=command))
    check_sandbox(settings)
    return settings


async def _test_sandboxes(configured: SandboxSettings, *, as_json: bool) -> int:
    configure_logs(logging.ERROR)  # the program's attempts are warnings of a server
    others = [SandboxSettings(driver="bubblewrap"), SandboxSettings(driver="landlock")]
    tests = [configured, *(each for each in others if each.driver != configured.driver)]
    found = [await self_test(settings) for settings in tests]
    if as_json:
        write_json([_as_json(test) for test in found])
    else:
        for test in found:
            write_line(test.sentence)
    return DONE if found[0].contains_all else FAILED


def _as_json(test: SelfTest) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(test)
    return {**document, "contains_all": test.contains_all}
