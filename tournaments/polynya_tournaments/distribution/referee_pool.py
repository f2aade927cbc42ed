"""Keeps a worker's referee processes: each plays one task at a time, and stays for the next.

A task goes to the process that played one of the same bots last, because it may keep these bots. A
process plays one game folder at most, because folders of several contents have games of one name.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from polynya_foreign.folders import VARIABLE
from polynya_tournaments.distribution.referee_process import HEADER

SILENT_S: Final = 60.0
"""A process that is silent for this long counts as hung, and is killed."""

_END_S: Final = 10.0


class RefereeLostError(Exception):
    """The process that played a block is gone; the message says how."""


class RefereePool:
    """Processes that wait for a task; threads share it.

    Args:
        name, address: of the worker.
        folder: where bots are unpacked.
    """

    def __init__(self, name: str, address: str, folder: Path) -> None:
        self._name = name
        self._address = address
        self._folder = folder
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._lock = threading.Lock()

    def play(self, task: bytes, bots: bytes, game: str | None = None) -> bytes:
        """Play a task in a process of its own; the encoded result.

        Args:
            task: encoded.
            bots: see :func:`~polynya_tournaments.distribution.block_messages.bots_key`.
            game: SHA-256 of the game's folder; None for an installed game.

        Raises:
            RefereeLostError: the process has ended, or hung.
        """
        process = self._take(bots, game)
        if process is None:
            process = _Process(self._name, self._address, self._folder, game)
            with self._lock:
                self._all.add(process)
        try:
            process.bots = bots
            result = process.play(task)
        except BaseException:
            self._end(process)
            raise
        with self._lock:
            self._idle.append(process)
        return result

    def _take(self, bots: bytes, game: str | None) -> _Process | None:
        """The idle process that played these bots; else the one of the game that is idle longest.

        If all idle processes are of other games, the first of them ends.
        """
        with self._lock:
            if not self._idle:
                return None
            fitting = [one for one in self._idle if one.game == game]
            alike = (one for one in fitting if one.bots == bots)
            process = next(alike, (fitting or self._idle)[0])
            self._idle.remove(process)
        if fitting:
            return process
        self._end(process)
        return None

    def _end(self, process: _Process) -> None:
        process.end()
        with self._lock:
            self._all.discard(process)

    def close(self) -> None:
        """End all processes; their bots end with them."""
        with self._lock:
            processes, self._all, self._idle = list(self._all), set(), []
        for process in processes:
            process.end()


class _Process:
    """A referee's process; ``bots`` tells which bots it has played last, ``game`` which folder."""

    def __init__(self, name: str, address: str, folder: Path, game: str | None) -> None:
        # A session of its own: Ctrl-C in a terminal is for the coordinator, which ends in order.
        module = "polynya_tournaments.distribution.referee_process"
        self._process = subprocess.Popen(  # noqa: S603 - our own Python
            [sys.executable, "-m", module, name, address, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            # The folders that are listed here are those of this machine, not of the tournament.
            env={**os.environ, VARIABLE: ""},
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a process without pipes")
        self.bots = b""
        self.game = game
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()

    def play(self, task: bytes) -> bytes:
        try:
            _write(self._input, HEADER.pack(len(task)) + task)
            while not (frame := self._frame()):
                pass
        except OSError as error:
            raise RefereeLostError(self._how_ended()) from error
        return frame

    def _frame(self) -> bytes:
        (size,) = HEADER.unpack(self._exactly(HEADER.size))
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        found = bytearray()
        deadline = time.monotonic() + SILENT_S
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            while len(found) < size:
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise RefereeLostError(f"the referee's process was silent for {SILENT_S:g} s")
                chunk = os.read(self._output, size - len(found))
                if not chunk:
                    raise RefereeLostError(self._how_ended())
                found += chunk
        return bytes(found)

    def _how_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_END_S)
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return f"the referee's process was ended by {how}"
        return "the referee's process closed its pipes"

    def end(self) -> None:
        """Close its input, which ends it and its bots; kill it if that does not help."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _write(target: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(target, view) :]
