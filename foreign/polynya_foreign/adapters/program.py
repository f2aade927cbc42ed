"""A program of another system: lines in both directions, each with a bound and a deadline."""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from polynya_client.errors import printable

LONGEST_LINE: Final = 64 * 1024
"""The most bytes of a line."""
_QUEUED: Final = 256
_END_SECONDS: Final = 1.0
_CODE_SECONDS: Final = 0.5
"""How long the exit code of a program may take that has closed its output."""
_MOMENT: Final = 0.1
_SHOWN: Final = 60
_PR_SET_PDEATHSIG: Final = 1


class EngineFailed(Exception):  # noqa: N818 - it is the engine that failed
    """The program cannot play on.

    Attributes:
        farewell: what the server is told; it stands in the match's record as the cause.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.farewell = sentence


def quoted(answer: str) -> str:
    """The beginning of an answer, as text that does no harm in a terminal or on a page."""
    shown = printable(answer[:_SHOWN])
    return f"'{shown}{'…' if len(answer) > _SHOWN else ''}'"


def note(text: str) -> None:
    """A line for the author, on standard error."""
    print(f"polynya adapt: {printable(text)}", file=sys.stderr, flush=True)


class Program:
    """The program as a process, in a group of its own that ends with this object.

    Args:
        command: the program and its arguments.
        environment: variables added to ours.
        is_read: whether its standard output is read; otherwise it goes to our standard error.

    Raises:
        EngineFailed: it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        is_read: bool = True,
    ) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - starting the author's program is the purpose
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if is_read else sys.stderr,
                env={**os.environ, **(environment or {})},
                process_group=0,
                preexec_fn=_ends_with_us(),
                bufsize=0,
            )
        except OSError as error:
            raise EngineFailed(f"{command[0]} cannot be started: {error.strerror}") from error
        self._lines: queue.Queue[bytes | EngineFailed] = queue.Queue(_QUEUED)
        self._kept = b""
        self._closed = threading.Event()
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._input = self._process.stdin.fileno()
        os.set_blocking(self._input, False)
        self._reader = threading.Thread(target=self._read, name="polynya-engine", daemon=True)
        if is_read:
            self._reader.start()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """End it; after a failure it gets no time for that."""
        self.close(0 if isinstance(error, EngineFailed) else _END_SECONDS)

    @property
    def pid(self) -> int:
        """The number of its process, and of its group."""
        return self._process.pid

    def tell(self, text: str, deadline: float) -> None:
        """Write lines.

        Args:
            text: the lines; a line's end is added.
            deadline: on the clock of ``time.monotonic()``.

        Raises:
            EngineFailed: the program does not read, or has ended.
        """
        left = memoryview(f"{text}\n".encode())
        while left:
            wait = max(deadline - time.monotonic(), 0)
            if not select.select([], [self._input], [], wait)[1]:
                raise EngineFailed("the engine does not read its input")
            try:
                left = left[os.write(self._input, left) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._ended() from error

    def line(self, deadline: float) -> str:
        """Its next line, without the end.

        Args:
            deadline: on the clock of ``time.monotonic()``.

        Raises:
            TimeoutError: none came in time.
            EngineFailed: none will come, or it is too long.
        """
        wait = deadline - time.monotonic()
        if wait <= 0:
            raise TimeoutError
        try:
            line = self._lines.get(timeout=wait)
        except queue.Empty:
            self.check()  # another process may keep its output open
            raise TimeoutError from None
        if isinstance(line, EngineFailed):
            self._put(line)
            raise line
        return line.decode("utf-8", "replace").rstrip("\r")

    def waiting_line(self) -> str | None:
        """A line that it has printed and that is not read yet; None without one.

        Raises:
            EngineFailed: it will print no more, or its line is too long.
        """
        try:
            return self.line(time.monotonic() + _MOMENT) if not self._lines.empty() else None
        except TimeoutError:
            return None

    def unfinished_line(self) -> str:
        """The beginning of a line whose end it has not printed."""
        return self._kept.decode("utf-8", "replace")

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        output = self._process.stdout.fileno()
        kept = b""
        while not self._closed.is_set():
            try:
                got = os.read(output, LONGEST_LINE)
            except OSError:
                return
            *lines, kept = (kept + got).split(b"\n")
            self._kept = kept
            if any(len(line) > LONGEST_LINE for line in (*lines, kept)):
                self._put(EngineFailed(f"the engine's line is longer than {LONGEST_LINE} bytes"))
                return
            for line in lines:
                self._put(line)
            if not got:
                if kept:
                    self._put(kept)
                self._put(self._ended())
                return

    def _put(self, line: bytes | EngineFailed) -> None:
        """Queue a line; a program that says more than is read waits for us."""
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.2)
                return

    def check(self) -> None:
        """Look whether it goes on.

        Raises:
            EngineFailed: it has ended.
        """
        if self._process.poll() is not None:
            raise self._ended()

    def _ended(self) -> EngineFailed:
        try:
            code = self._process.wait(_CODE_SECONDS)
        except subprocess.TimeoutExpired:
            return EngineFailed("the engine has closed its output or input")
        if code >= 0:
            return EngineFailed(f"the engine ended with exit code {code}")
        try:
            return EngineFailed(f"the engine ended by {signal.Signals(-code).name}")
        except ValueError:
            return EngineFailed(f"the engine ended by signal {-code}")

    def close(self, seconds: float = _END_SECONDS) -> None:
        """End its input, and after a moment all processes of its group.

        Args:
            seconds: how long it may take to end by itself.
        """
        self._closed.set()
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._reader.join(_END_SECONDS)
            if not self._reader.is_alive():
                self._process.stdout.close()


def _ends_with_us() -> Callable[[], None] | None:
    """A call by which Linux kills the program when we are killed; None elsewhere."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)

    def ask() -> None:
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return ask
