"""Bots as processes of ours: started, their output kept in a log, ended with all their children."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import trio

from polynya_tournaments.bots.child_process import (
    Child,
    Output,
    open_output,
    start_child,
    wait_ended,
)
from polynya_tournaments.config.builtin_bots import BotCommand, builtin_command
from polynya_tournaments.config.command_words import command_words
from polynya_tournaments.config.tournament_configuration import BotConfiguration
from polynya_tournaments.errors import RunError
from polynya_tournaments.text import printable

_MOST_LOGGED = 5 * 1024 * 1024
_LAST_LINES = 5
_TERMINATE_S = 2.0
_DRAIN_S = 0.2


def command_of(bot: BotConfiguration) -> BotCommand:
    """What is started for a bot that has a command or is a built-in one."""
    if bot.builtin is not None:
        found = builtin_command(bot.builtin)
        environment = {**found.environment, **bot.environment}
        return BotCommand(found.words, environment, bot.directory)
    words = command_words(bot.command) if isinstance(bot.command, str) else (bot.command or [])
    return BotCommand(tuple(words), bot.environment, bot.directory)


class BotLog:
    """What a bot writes to its standard output and error, in one file of a bounded size.

    Without a path only the last lines are kept.
    """

    def __init__(self, path: Path | None, kept_lines: int = _LAST_LINES) -> None:
        self.path = path
        self._last: deque[str] = deque(maxlen=kept_lines)
        self._unfinished = b""
        self._file = None if path is None else self._open(path)
        self._room = 0 if self._file is None else _MOST_LOGGED - self._file.tell()
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
        """Keep what the bot has written."""
        *lines, self._unfinished = (self._unfinished + output).split(b"\n")
        self._unfinished = self._unfinished[-_MOST_LOGGED // 1024 :]
        self._last.extend(line.decode("utf-8", "replace") for line in lines if line.strip())
        self._write(output)

    def _write(self, output: bytes) -> None:
        if self._file is None or self._room <= 0:
            return
        if len(output) > self._room:
            output = output[: self._room] + b"\n--- the log is full: what follows is not kept ---\n"
        self._room -= len(output)
        # A full disk costs the log, not the tournament.
        with contextlib.suppress(OSError):
            self._file.write(output)

    def last_lines(self) -> list[str]:
        """What the bot wrote last, fit for a terminal."""
        unfinished = self._unfinished.decode("utf-8", "replace")
        lines = [*self._last, *([unfinished] if unfinished.strip() else [])]
        return [printable(line) for line in lines[-(self._last.maxlen or 0) :]]

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


async def run_bot(
    name: str,
    command: BotCommand,
    environment: Mapping[str, str],
    log: BotLog,
    on_started: Callable[[Child], None] = lambda _: None,
) -> int:
    """Start a bot and wait until it ends; its exit code, negative for a signal.

    However this is left, by cancelling too, the bot is gone, with its descendants where there are
    guards (:func:`polynya_tournaments.bots.child_process.has_guards`), else with its group.
    ``on_started`` is given the bot, for signals to it; it ends with this function.

    Raises:
        RunError: the command cannot be started; the message says why.
    """
    with _start_errors_explained(name, command):
        child = start_child(
            command.words,
            command.directory,
            {**os.environ, **command.environment, **environment},
        )
    try:
        on_started(child)
        await _attend(child.process, log)
    finally:
        await _end(child)
    with _start_errors_explained(name, command):
        return child.code()


@contextlib.contextmanager
def _start_errors_explained(name: str, command: BotCommand) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(
            f"bot {name} cannot be started: {printable(shlex.join(command.words))}: "
            f"{error.strerror}"
        ) from error


async def _attend(process: subprocess.Popen[bytes], log: BotLog) -> None:
    async with open_output(process) as output, trio.open_nursery() as nursery:
        nursery.start_soon(_keep, output, log)
        await wait_ended(process)
        # What it left in the pipe is read, but its children, who hold it too, are not waited for.
        nursery.cancel_scope.deadline = trio.current_time() + _DRAIN_S


async def _keep(output: Output, log: BotLog) -> None:
    async for chunk in output:
        log.add(bytes(chunk))


async def _end(child: Child) -> None:
    """End a child in order, then by force; nothing that it started is left afterwards."""
    with trio.CancelScope(shield=True):
        child.ask_to_end()
        with trio.move_on_after(_TERMINATE_S):
            await wait_ended(child.process)
        child.kill()
        await wait_ended(child.process)
    child.reap()
