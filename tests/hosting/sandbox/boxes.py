"""Programs that are run in a real sandbox, and what they print there."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trio

from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.bots.bot_process import BotEnd, BotLog, Listen, run_bot
from polynya_hosting.sandbox.control_groups import parent_of
from polynya_hosting.sandbox.selection import sandbox_of

FIREJAIL = (
    *("firejail", "--quiet", "--noprofile", "--net=none", "--nonewprivs", "--caps.drop=all"),
    *("--seccomp", "--private-dev", "--ipc-namespace", "--read-only=/"),
    *("--", "{guard}", "{command}"),
)

SETTINGS: Mapping[str, SandboxSettings] = {
    "bubblewrap": SandboxSettings(driver="bubblewrap"),
    "landlock": SandboxSettings(driver="landlock"),
    "command": SandboxSettings(driver="command", command=FIREJAIL),
}


needs_groups = pytest.mark.skipif(
    sys.platform != "linux" or parent_of("pids") is None or parent_of("memory") is None,
    reason="this user may not make control groups",
)


@dataclass(frozen=True)
class Ran:
    """A program that has ended in a sandbox: how, and the lines that it printed."""

    end: BotEnd
    lines: list[str]

    @property
    def said(self) -> Any:
        """What its last line says, which is JSON."""
        return json.loads(self.lines[-1])


async def run(
    folder: Path,
    program: str,
    driver: str = "bubblewrap",
    environment: Mapping[str, str] | None = None,
    core: int | None = None,
    listen: Listen | None = None,
    **limits: int,
) -> Ran:
    """Run a Python program of this text, in a folder of its own, to its end."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(program, encoding="utf-8")
    settings = SETTINGS[driver]
    sandbox = sandbox_of(
        SandboxSettings(
            driver=settings.driver,
            command=settings.command,
            limits=SandboxLimits(**limits),
        )
    )
    command = BotCommand((sys.executable, "program.py"), {}, str(folder))
    log = BotLog(None, kept_lines=100)
    with trio.fail_after(120):
        end = await run_bot(
            "bot",
            command,
            environment or {},
            log,
            sandbox=sandbox,
            listen=listen or _unheard,
            core=core,
        )
    return Ran(end, log.last_lines())


@contextmanager
def _unheard(sock: socket.socket) -> Iterator[None]:
    with sock:
        yield
