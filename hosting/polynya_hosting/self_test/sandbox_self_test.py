"""Runs a hostile program in a sandbox, to find out which attacks the sandbox contains."""

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
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import trio

from polynya_common.errors import RunError, TournamentError
from polynya_common.text import join_words
from polynya_contest.config.builtin_bots import BotCommand, Room
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.child_process import has_guards
from polynya_hosting.bots.cores import core_numbers
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_protocol import encode
from polynya_protocol.messages import PROTOCOL_VERSION, Hello
from polynya_server import MemoryJournal, Server, ServerSettings, open_server

SUBJECTS = (
    "files",
    "environment",
    "processes",
    "signals",
    "limits",
    "priorities",
    "cores",
    "shared memory",
    "network",
    "names",
    "memory",
    "forks",
    "disk",
    "builds",
)
_OF_BUILDS = ("builds",)
_LIMITS = SandboxLimits(memory_mb=64, processes=16, space_mb=16, file_mb=16)
_ROOM = Room(_LIMITS.space_mb, 1_000)
_PROGRAM = Path(__file__).with_name("hostile_program.py")
_FOLDERS = ("/", "/etc", "/usr", "/tmp", "/var/tmp", "/run", "/dev/shm")  # noqa: S108
_TEST_S = 60.0
_KEPT_LINES = 50
_MEMORY_BYTES = 4096
_IPC_CREATE = 0o1666
_IPC_REMOVE = 0
_FEWER_FILES = 100
_LOOPBACK = "127.0.0.1"
_FAR = "192.0.2.1"
"""An address reserved for documentation, so no machine has it (RFC 5737)."""
_WAIT = "import sys; sys.stdin.read()"


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The result of a sandbox's test.

    Attributes:
        sandbox: the driver's name.
        title: its name and version; None if it does not work here.
        escapes: by subject the attacks that succeeded; empty for a contained subject.
        problem: why the sandbox does not work here, a sentence; None if it works.
    """

    sandbox: str
    title: str | None
    escapes: dict[str, str]
    problem: str | None = None

    @property
    def contains_all(self) -> bool:
        """Whether all attacks of a bot are contained; builds matter only to hosts with uploads."""
        return self.problem is None and not any(
            could for subject, could in self.escapes.items() if subject not in _OF_BUILDS
        )

    @property
    def sentence(self) -> str:
        """The result in a sentence for the host."""
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
    """Run the hostile program in a sandbox.

    Args:
        settings: the sandbox's; the test uses small limits of its own.
    """
    small = msgspec.structs.replace(settings, limits=_LIMITS)
    if settings.driver != "none" and not has_guards():
        return _broken(settings, "it needs Linux, with prctl and /proc/PID/task/TID/children")
    try:
        sandbox = sandbox_of(small)
        return SelfTest(settings.driver, sandbox.title, await _escapes(sandbox))
    except TournamentError as error:
        return _broken(settings, str(error).removeprefix(f"sandbox.driver = {settings.driver!r}: "))


def _broken(settings: SandboxSettings, problem: str) -> SelfTest:
    return SelfTest(settings.driver, None, {}, problem)


async def _escapes(sandbox: Sandbox) -> dict[str, str]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="polynya-doctor-")))
        folder.chmod(0o755)
        settings = ServerSettings(host=_LOOPBACK, port=0, open_registration=True)
        server = await stack.enter_async_context(open_server(settings, MemoryJournal()))
        given, victim = _bait(stack, folder)
        given |= {"server": server.port, "hellos": _hellos(given["mark"])}
        before = _state(given["other"])
        found: dict[str, str] = {}
        for subjects, room in ((SUBJECTS, None), (_OF_BUILDS, _ROOM)):
            home = folder / ("bot" if room is None else "build")
            home.mkdir()
            (home / _PROGRAM.name).write_bytes(_PROGRAM.read_bytes())
            sandbox.lend(home)
            while left := [one for one in subjects if one not in found and _is_of(one, room)]:
                given["subjects"] = left
                words = (sys.executable, str(home / _PROGRAM.name), json.dumps(given))
                command = BotCommand(words, {}, str(home), str(home), room)
                found |= await _ran(sandbox, command, server)
        for path in (Path(folder, given["mark"]) for folder in given["folders"]):
            if path.exists():
                path.unlink()
                found["files"] = found["files"] or f"wrote into {path.parent}"
        if victim.poll() is not None:
            found["signals"] = "ended a process of the host"
        found |= _changes(before, _state(given["other"]))
    return found


async def _ran(sandbox: Sandbox, command: BotCommand, server: Server) -> dict[str, str]:
    """Run the program, and return its printed findings by subject.

    The last finding is empty if the sandbox has killed the whole program for it: it is contained.
    """
    log = BotLog(None, kept_lines=_KEPT_LINES)
    told = {"POLYNYA_HOST": _LOOPBACK, "POLYNYA_PORT": str(server.port)}
    core = next(iter(core_numbers()), None)
    with trio.move_on_after(_TEST_S) as scope:
        await run_bot(
            "doctor",
            command,
            told,
            log,
            sandbox=sandbox,
            listen=lambda sock: server.hearing(sock, "doctor"),
            core=core,
        )
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


def _is_of(subject: str, room: Room | None) -> bool:
    """Whether a program with this room tries the subject; a bot has no room, a build has one."""
    return (subject in _OF_BUILDS) == (room is not None)


def _hellos(mark: str) -> dict[str, str]:
    """Messages that a bot may not send over its own socket, by the attack that each would allow."""
    name = mark[-16:]
    deeds = {
        "registered a new name": Hello(protocol=PROTOCOL_VERSION, name=name),
        "looked on at matches": Hello(protocol=PROTOCOL_VERSION, role="spectator"),
    }
    return {deed: encode(hello).hex() for deed, hello in deeds.items()}


def _state(process: int) -> tuple[object, ...]:
    """The state of a process that an attacker could change: limits, priority, cores."""
    import resource  # Windows has none, and no sandboxes

    limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
    priority = os.getpriority(os.PRIO_PROCESS, process)
    return limits, (priority, os.sched_getscheduler(process), os.sched_getaffinity(process))


def _changes(before: tuple[object, ...], after: tuple[object, ...]) -> dict[str, str]:
    subjects = zip(("limits", "priorities"), before, after, strict=True)
    return {
        subject: f"changed the {subject} of a process of the host"
        for subject, was, is_ in subjects
        if was != is_
    }


def _bait(stack: AsyncExitStack, folder: Path) -> tuple[dict[str, Any], subprocess.Popen[bytes]]:
    """Create the targets of the attacks: a file, a variable, a process, sockets, memory."""
    mark = f"POLYNYA_DOCTOR_{secrets.token_hex(8)}"
    secret = folder / "secret"
    secret.write_text(mark, encoding="utf-8")
    victim, other = (_process(stack, mark) for _ in range(2))
    stack.enter_context(_variable(mark))
    port = stack.enter_context(socket.create_server((_LOOPBACK, 0))).getsockname()[1]
    if hasattr(socket, "AF_UNIX") and sys.platform == "linux":
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{mark}")
        abstract.listen()
    given = {
        "file": str(secret),
        "folders": [str(folder), str(folder / "bot"), *_FOLDERS],
        "variable": mark,
        "process": victim.pid,
        "other": other.pid,
        "mark": mark,
        "port": port,
        "socket": mark,
        "memory": stack.enter_context(_shared_memory()),
        "cores": core_numbers(),
        "most": _FEWER_FILES,
        "far": _FAR,
        "memory_mb": _LIMITS.memory_mb,
        "processes": _LIMITS.processes,
        "space_mb": _LIMITS.space_mb,
    }
    return given, victim


def _process(stack: AsyncExitStack, mark: str) -> subprocess.Popen[bytes]:
    """Start a process of the host that waits."""
    process = stack.enter_context(
        subprocess.Popen(  # noqa: S603 - our own Python
            [sys.executable, "-c", _WAIT, mark],
            stdin=subprocess.PIPE,
            env={**os.environ, mark: "1"},
        )
    )
    stack.callback(process.kill)
    return process


@contextmanager
def _shared_memory() -> Iterator[int]:
    """Create memory shared with this user's processes until the context exits; yield its key."""
    import ctypes  # not every Python has it, but "doctor" must work there too

    libc = ctypes.CDLL(None)
    key = secrets.randbelow(2**31 - 1) + 1
    number = libc.shmget(key, _MEMORY_BYTES, _IPC_CREATE)
    try:
        yield key
    finally:
        if number >= 0:
            libc.shmctl(number, _IPC_REMOVE, None)


@contextmanager
def _variable(name: str) -> Iterator[None]:
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]
