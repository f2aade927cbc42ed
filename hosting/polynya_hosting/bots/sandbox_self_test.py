"""A hostile program in each sandbox of this machine: what it contains, and what it does not."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import trio

from polynya_common.errors import RunError, TournamentError
from polynya_common.text import join_words
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.child_process import has_guards
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.selection import sandbox_of

SUBJECTS = (
    "files",
    "environment",
    "processes",
    "signals",
    "network",
    "memory",
    "forks",
    "disk",
)
_LIMITS = SandboxLimits(memory_mb=64, processes=16, space_mb=16, file_mb=16)
_PROGRAM = Path(__file__).with_name("hostile_program.py")
_FOLDERS = ("/", "/etc", "/usr", "/tmp", "/var/tmp", "/run", "/dev/shm")  # noqa: S108
_TEST_S = 60.0
_KEPT_LINES = 50
_FAR = "192.0.2.1"
"""An address that belongs to no machine (RFC 5737)."""
_WAIT = "import sys; sys.stdin.read()"


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The result of a sandbox's test.

    Attributes:
        sandbox: the driver's name.
        title: what it is; None if it does not work here.
        escapes: by subject what the program could do; empty for a subject that is contained.
        problem: why the sandbox does not work here, a sentence; None if it does.
    """

    sandbox: str
    title: str | None
    escapes: dict[str, str]
    problem: str | None = None

    @property
    def contains_all(self) -> bool:
        """Whether the program could do nothing."""
        return self.problem is None and not any(self.escapes.values())

    @property
    def sentence(self) -> str:
        """The same for a host."""
        if self.problem is not None:
            return f"{self.sandbox}: does not work here: {self.problem}"
        held = [subject for subject in SUBJECTS if not self.escapes[subject]]
        open_ = [
            f"{subject} (it {self.escapes[subject]})"
            for subject in SUBJECTS
            if self.escapes[subject]
        ]
        parts = [f"contains {', '.join(held)}" if held else "contains nothing"]
        if open_:
            parts.append(f"does not contain {join_words(open_)}")
        return f"{self.sandbox}: {'; '.join(parts)}"


async def self_test(settings: SandboxSettings) -> SelfTest:
    """Let the hostile program loose in a sandbox.

    Args:
        settings: the sandbox's; the limits are small ones of the test's own.
    """
    small = msgspec.structs.replace(settings, limits=_LIMITS)
    if settings.sandbox != "none" and not has_guards():
        return _broken(settings, "it needs Linux, with prctl and /proc/PID/task/TID/children")
    try:
        sandbox = sandbox_of(small)
        return SelfTest(settings.sandbox, sandbox.title, await _escapes(sandbox))
    except TournamentError as error:
        return _broken(settings, str(error).removeprefix(f"sandbox = {settings.sandbox!r}: "))


def _broken(settings: SandboxSettings, problem: str) -> SelfTest:
    return SelfTest(settings.sandbox, None, {}, problem)


async def _escapes(sandbox: Sandbox) -> dict[str, str]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="polynya-doctor-")))
        folder.chmod(0o755)
        given, victim = _bait(stack, folder)
        bot = folder / "bot"
        bot.mkdir()
        (bot / _PROGRAM.name).write_bytes(_PROGRAM.read_bytes())
        found: dict[str, str] = {}
        while left := [subject for subject in SUBJECTS if subject not in found]:
            given["subjects"] = left
            words = (sys.executable, str(bot / _PROGRAM.name), json.dumps(given))
            found |= await _ran(sandbox, BotCommand(words, {}, str(bot)))
        for path in (Path(folder, given["mark"]) for folder in given["folders"]):
            if path.exists():
                path.unlink()
                found["files"] = found["files"] or f"wrote into {path.parent}"
        if victim.poll() is not None:
            found["signals"] = "ended a process of the host"
    return found


async def _ran(sandbox: Sandbox, command: BotCommand) -> dict[str, str]:
    """The findings that the program printed, up to its end, by subject.

    The last subject's is empty if the sandbox has ended all of the program for it: it is contained.
    """
    log = BotLog(None, kept_lines=_KEPT_LINES)
    with trio.move_on_after(_TEST_S) as scope:
        await run_bot("doctor", command, {}, log, sandbox=sandbox, listen=_unheard)
    lines = log.last_lines()
    found: dict[str, str] = {}
    for line in lines:
        with contextlib.suppress(ValueError):
            found |= msgspec.json.decode(line, type=dict[str, str])
    last = found.pop("begins", None)
    if last is None or scope.cancelled_caught:
        said = " | ".join(lines) or "it says nothing"
        raise RunError(f"the test did not come to its end: {said}")
    return {last: "", **found}


def _bait(stack: ExitStack, folder: Path) -> tuple[dict[str, Any], subprocess.Popen[bytes]]:
    """The targets of the program's attacks: a file, a variable, a process, sockets."""
    mark = f"POLYNYA_DOCTOR_{secrets.token_hex(8)}"
    secret = folder / "secret"
    secret.write_text(mark, encoding="utf-8")
    victim = stack.enter_context(
        subprocess.Popen(  # noqa: S603 - our own Python
            [sys.executable, "-c", _WAIT, mark],
            stdin=subprocess.PIPE,
            env={**os.environ, mark: "1"},
        )
    )
    stack.callback(victim.kill)
    stack.enter_context(_variable(mark))
    port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
    if hasattr(socket, "AF_UNIX") and sys.platform == "linux":
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{mark}")
        abstract.listen()
    given = {
        "file": str(secret),
        "folders": [str(folder), str(folder / "bot"), *_FOLDERS],
        "variable": mark,
        "process": victim.pid,
        "mark": mark,
        "port": port,
        "socket": mark,
        "far": _FAR,
        "memory_mb": _LIMITS.memory_mb,
        "processes": _LIMITS.processes,
        "space_mb": _LIMITS.space_mb,
    }
    return given, victim


@contextmanager
def _variable(name: str) -> Iterator[None]:
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]


@contextmanager
def _unheard(sock: socket.socket) -> Iterator[None]:
    with sock:
        yield
