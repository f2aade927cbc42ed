"""Starts a hosted bot as a process, logs its output, and ends it with all its children."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import trio

from polynya_common.errors import RunError
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_contest.config.bot_names import command_words
from polynya_contest.config.builtin_bots import BotCommand, builtin_command
from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_hosting.bots.child_process import (
    Child,
    Output,
    Usage,
    guard_words,
    open_output,
    start_child,
    wait_ended,
)
from polynya_hosting.bots.memory_deaths import memory_cause, says_no_memory
from polynya_hosting.bots.process_watch import ProcessWatch
from polynya_hosting.bots.shebang import wrong_shebang
from polynya_hosting.sandbox.interface import Box, LimitsHit, Program, Sandbox
from polynya_hosting.sandbox.no_sandbox import NO_SANDBOX
from polynya_hosting.sandbox.visible_files import folder_of_command
from polynya_protocol.errors import printable

ADVICE = b"polynya-bridge: "
_LOOPBACK = "127.0.0.1"
_BACKLOG = 64
_MOST_LOGGED = 5 * 1024 * 1024
_LAST_LINES = 5
_LONGEST_LINE = 2_000
"""Bytes of a line that is kept among the last ones."""
_LINES_OF_AN_END = 1_000
"""A runtime that gets no more memory says so, and then where each of its threads was."""
_TERMINATE_S = 1.5
_KILL_S = 15.0
"""Longer than a guard takes to give up."""
_SLOW_S = 0.01
_DRAIN_S = 0.2
_BUILD_NICE = 10
"""A build may take longer; the server's matches may not."""


def command_of(bot: BotConfiguration) -> BotCommand:
    """The command that starts a bot with a command, or a built-in bot."""
    if bot.builtin is not None:
        found = builtin_command(bot.builtin)
        environment = {**found.environment, **bot.environment}
        return BotCommand(found.words, environment, bot.directory, found.folder)
    words = command_words(bot.command) if isinstance(bot.command, str) else (bot.command or [])
    return BotCommand(tuple(words), bot.environment, bot.directory, bot.folder)


class NotStartedError(RunError):
    """A bot that cannot be started.

    Args:
        name: the bot's.
        how: predicate of a sentence about the bot: that it cannot be started, and why.
    """

    def __init__(self, name: str, how: str) -> None:
        super().__init__(f"bot {name} {how}")
        self.how = how


def how_not_run(error: Exception) -> Cause:
    """Say why a bot was not run, without its name."""
    return error.how if isinstance(error, NotStartedError) else cause_of(error)


class BotLog:
    """A bot's standard output and standard error, in one file of a bounded size.

    Without a path only the last lines are kept.

    Attributes:
        on_advice: called with each line that the bridge writes for the bot's author.
    """

    def __init__(
        self, path: Path | None, kept_lines: int = _LAST_LINES, most_bytes: int = _MOST_LOGGED
    ) -> None:
        self.path = path
        self.on_advice: Callable[[str], None] = lambda _: None
        self._last: deque[str] = deque(maxlen=kept_lines)
        self._unfinished = b""
        self._lines = 0
        self._no_memory_at = -_LINES_OF_AN_END
        self._file = None if path is None else self._open(path)
        self._room = 0 if self._file is None else most_bytes - self._file.tell()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._write(f"--- started {now} ---\n".encode())

    @staticmethod
    def _open(path: Path) -> IO[bytes]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return path.open("ab", buffering=0)
        except OSError as error:
            raise RunError(f"the log {path} cannot be written: {error.strerror}") from error

    def add(self, output: bytes) -> None:
        """Add output of the bot."""
        *lines, self._unfinished = (self._unfinished + output).split(b"\n")
        self._unfinished = self._unfinished[-_MOST_LOGGED // 1024 :]
        self._last.extend(
            line[:_LONGEST_LINE].decode("utf-8", "replace") for line in lines if line.strip()
        )
        self._write(output)
        for line in lines:
            self._note_line(line)
            if line.startswith(ADVICE):
                self.on_advice(printable(line.decode("utf-8", "replace").rstrip()))

    def _note_line(self, line: bytes) -> None:
        self._lines += 1
        if says_no_memory(line):
            self._no_memory_at = self._lines

    @property
    def says_no_memory(self) -> bool:
        """Whether the bot has said, among its last lines, that it gets no more memory."""
        if says_no_memory(self._unfinished):
            return True
        return self._lines - self._no_memory_at < _LINES_OF_AN_END

    def note(self, sentence: str) -> None:
        """Write a remark of the host about the bot, to the file only."""
        self._write(f"--- {printable(sentence)} ---\n".encode())

    def _write(self, output: bytes) -> None:
        if self._file is None or self._room <= 0:
            return
        if len(output) > self._room:
            output = output[: self._room] + b"\n--- the log is full: what follows is not kept ---\n"
        self._room -= len(output)
        # A full disk loses the log, not the tournament.
        with contextlib.suppress(OSError):
            self._file.write(output)

    def last_lines(self, limit: int = 200) -> list[str]:
        """The last lines of the bot's output, safe to print, each at most ``limit`` long."""
        unfinished = self._unfinished.decode("utf-8", "replace")
        lines = [*self._last, *([unfinished] if unfinished.strip() else [])]
        return [printable(line, limit) for line in lines[-(self._last.maxlen or 0) :]]

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


@dataclass(frozen=True, slots=True)
class BotEnd:
    """How a bot ended.

    Attributes:
        code: its exit code, negative for a signal.
        usage: the memory and processor time that it used; None where they are not counted.
        limits: the sandbox limits that it hit, in words.
        filled: how a build hit a limit of its folder; None if it did not.
    """

    code: int
    usage: Usage | None = None
    limits: tuple[Cause, ...] = ()
    filled: Reason | None = None


Listen = Callable[[socket.socket], AbstractContextManager[None]]
"""Lets a server accept connections to a socket until the context exits."""


async def run_bot(
    name: str,
    command: BotCommand,
    environment: Mapping[str, str],
    log: BotLog,
    on_started: Callable[[Child], None] = lambda _: None,
    sandbox: Sandbox = NO_SANDBOX,
    listen: Listen | None = None,
    *,
    on_ended: Callable[[], None] = lambda: None,
    core: int | None = None,
    watch: ProcessWatch | None = None,
    only_try: bool = False,
) -> BotEnd:
    """Start a bot and wait until it ends.

    However this function ends, even by cancellation, the bot is gone, with its descendants where
    there are guards (:func:`polynya_hosting.bots.child_process.has_guards`), else with its group.
    ``on_started`` receives the bot, for signals to it; the bot ends with this function.

    Args:
        name: the bot's.
        command: starts it.
        environment: variables besides the command's.
        log: receives its output.
        on_started: see above.
        sandbox: the sandbox that it runs in.
        listen: accepts its connections on a separate socket; without it the bot connects to the
            address in the variables.
        on_ended: called as soon as it has ended by itself.
        core: the processor core that it runs on; None for any.
        watch: receives its use of resources.
        only_try: test whether it could be started, and start nothing.

    Raises:
        RunError: the command cannot be started; the message says why.
    """
    with _start_errors_explained(name, command), ExitStack() as stack:
        if listen is not None and sandbox.hears != "guard" and not only_try:
            host = environment.get("POLYNYA_HOST") if sandbox.hears == "address" else None
            own = stack.enter_context(_own_address(host or _LOOPBACK, listen))
            environment = {**environment, **own}
        program = program_of(command, environment)
        box = stack.enter_context(sandbox.enclose(program, guard_words(), only_try=only_try))
        child = start_child(box, core, 0 if command.room is None else _BUILD_NICE)
        try:
            on_started(child)
            if watch is not None:
                watch.begin(child, box.limits_hit, log.last_lines)
            sock = await child.listener() if box.listens else None
            if sock is not None:
                stack.enter_context(sock if listen is None else listen(sock))
            await _attend(child, log, box.output_bytes, on_ended, watch)
        finally:
            await _end(child)
        if box.listens and sock is None:
            raise NotStartedError(name, f"cannot be started in its sandbox: {_said(log)}")
        hit = box.limits_hit()
        limits = (*hit.words, *_memory_words(box, child, log, hit))
        return BotEnd(child.code(), _usage(child.usage(), hit.peak_bytes), limits, child.filled())


def _memory_words(box: Box, child: Child, log: BotLog, hit: LimitsHit) -> tuple[Cause, ...]:
    """That it ended for want of memory, where its sandbox does not say so itself."""
    used = child.usage()
    if box.memory_mb is None or any("memory" in getattr(word, "code", "") for word in hit.words):
        return ()
    cause = memory_cause(
        box.memory_mb,
        child.code(),
        None if used is None else used.peak_bytes,
        said=log.says_no_memory,
        is_grouped=hit.peak_bytes is not None,
    )
    return () if cause is None else (cause,)


@contextlib.contextmanager
def _own_address(host: str, listen: Listen) -> Iterator[Mapping[str, str]]:
    """Open a socket for one bot until the context exits; yield the variables with its address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, 0), family=family, backlog=_BACKLOG) as sock,
        listen(sock),
    ):
        yield {"POLYNYA_HOST": host, "POLYNYA_PORT": str(sock.getsockname()[1])}


def program_of(command: BotCommand, environment: Mapping[str, str]) -> Program:
    """Convert a bot's command to a sandbox's program."""
    directory = Path(command.directory or os.curdir).absolute()
    folder = None if command.folder is None else Path(command.folder)
    return Program(
        command.words,
        {**command.environment, **environment},
        directory,
        folder or folder_of_command(command.words, directory) or directory,
        command.room,
    )


def _usage(of_child: Usage | None, peak_bytes: int | None) -> Usage | None:
    """Prefer the sandbox's peak memory, which covers all processes; the guard's covers one."""
    if of_child is None or peak_bytes is None:
        return of_child
    return Usage(peak_bytes, of_child.cpu_ms)


def _said(log: BotLog) -> str:
    return " | ".join(log.last_lines()) or "it says nothing"


@contextlib.contextmanager
def _start_errors_explained(name: str, command: BotCommand) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        words = printable(shlex.join(command.words))
        program = Path(command.directory or os.curdir, command.words[0])
        why = wrong_shebang(program) or error.strerror
        raise NotStartedError(name, f"cannot be started: {words}: {why}") from error


async def _attend(
    child: Child,
    log: BotLog,
    quickly: int | None,
    on_ended: Callable[[], None],
    watch: ProcessWatch | None,
) -> None:
    async with open_output(child.process) as output, trio.open_nursery() as nursery:
        nursery.start_soon(_keep, output, log, quickly)
        if watch is not None:
            nursery.start_soon(child.follow, watch.note_used)
        await wait_ended(child.process)
        on_ended()
        # Read the rest of the pipe, but do not wait for the bot's children, which hold it too.
        nursery.cancel_scope.deadline = trio.current_time() + _DRAIN_S


async def _keep(output: Output, log: BotLog, quickly: int | None) -> None:
    """Log a bot's output; after ``quickly`` bytes read slowly, so that the bot has to wait."""
    read = 0
    async for chunk in output:
        log.add(bytes(chunk))
        read += len(chunk)
        if quickly is not None and read > quickly:
            await trio.sleep(_SLOW_S)


async def _end(child: Child) -> None:
    """End a child by SIGTERM, then by SIGKILL; none of its descendants is left afterwards."""
    with trio.CancelScope(shield=True):
        child.ask_to_end()
        with trio.move_on_after(_TERMINATE_S):
            await wait_ended(child.process)
        child.kill()
        with trio.move_on_after(_KILL_S) as scope:
            await wait_ended(child.process)
        if scope.cancelled_caught:  # the sandbox around the guard has not let it start, or end
            child.signal_group(signal.SIGKILL)
            await wait_ended(child.process)
    child.reap()
