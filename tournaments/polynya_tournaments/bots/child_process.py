"""Child processes, where systems differ: their start, their end, and what they leave behind.

Linux is the best served: each child has a guard, and its end is a descriptor that can be waited
for. Each part that a system does not have is replaced by what every system has.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import trio

_PR_SET_PDEATHSIG = 1
_PR_GET_CHILD_SUBREAPER = 37
_CHUNK = 16 * 1024
_GUARD = Path(__file__).with_name("guard.py").absolute()
"""Started, not imported: it needs what other systems lack."""

Output = AsyncIterator[bytes | bytearray] | AsyncIterator[bytes]


class Child:
    """A program that was started; where there are guards, by one, else directly.

    Attributes:
        process: of the guard (see :mod:`polynya_tournaments.bots.guard`), or of the program.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], to_guard: socket.socket | None = None
    ) -> None:
        self.process = process
        self._to_guard = to_guard
        self._report: list[bytes] = []

    def ask_to_end(self) -> None:
        """Tell the program and its group to end; on Windows it ends at once."""
        if self._to_guard is not None:
            os.kill(self.process.pid, signal.SIGTERM)
        elif hasattr(os, "killpg"):
            self._signal_group(signal.SIGTERM)
        else:
            self.process.terminate()

    def kill(self) -> None:
        """End by force: by a guard all descendants, else the group; on Windows only the program."""
        if self._to_guard is not None:
            with contextlib.suppress(OSError):  # the guard has ended
                self._to_guard.shutdown(socket.SHUT_WR)
        elif hasattr(os, "killpg"):
            self._signal_group(signal.SIGKILL)
        else:
            self.process.kill()

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def reap(self) -> None:
        """Forget the process, which has ended, but for what :meth:`code` says."""
        self.process.wait()
        if self._to_guard is None:
            return
        with self._to_guard, contextlib.suppress(OSError):
            self._to_guard.setblocking(False)
            self._report = self._to_guard.recv(_CHUNK).partition(b"\n")[0].split()

    def code(self) -> int:
        """How the program ended: its exit code, negative for a signal; after :meth:`reap`.

        Raises:
            OSError: it could not be started.
        """
        match self._report:
            case [b"failed", number]:
                raise OSError(int(number), os.strerror(int(number)))
            case [b"code", number]:
                return int(number)
        code: int = self.process.returncode  # there is no guard, or it was killed
        return code


def start_child(
    words: Sequence[str], directory: str | None, environment: Mapping[str, str]
) -> Child:
    """Start a program whose output, and what it says of errors, is one pipe.

    Ctrl-C in our terminal does not reach it. Its descendants end with it, and with us, where there
    are guards; elsewhere those of its process group do, while we are there to end them.

    Raises:
        OSError: it cannot be started; with a guard :meth:`Child.code` says so.
    """
    if not has_guards():
        return Child(_start(words, directory, environment, preexec_fn=_die_with_parent()))
    ours, theirs = socket.socketpair()
    with theirs:
        number = theirs.fileno()
        guarded = [sys.executable, "-I", "-S", str(_GUARD), str(number), *words]
        try:
            process = _start(guarded, directory, environment, pass_fds=(number,))
        except BaseException:
            ours.close()
            raise
    return Child(process, ours)


def _start(
    words: Sequence[str],
    directory: str | None,
    environment: Mapping[str, str],
    **more: Any,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - starting the host's own commands is the purpose
        words,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Windows ignores it, and has this instead:
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        **more,
    )


@cache
def has_guards() -> bool:
    """Whether this system has what a guard needs: prctl(2) and the list of a process's children."""
    if (prctl := _prctl()) is None or not sys.executable:
        return False
    import ctypes

    is_known = prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(ctypes.c_int())) == 0
    own = f"/proc/self/task/{threading.get_native_id()}/children"
    return is_known and Path(own).exists()


def _prctl() -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        found: Callable[..., int] = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):  # a Python without it, or another C library
        return None
    return found


def _die_with_parent() -> Callable[[], None] | None:
    """What a child without a guard does first, so that it does not outlive a killed server.

    The signal comes when the *thread* that started the child ends, so children are started in the
    thread of the loop, never by ``trio.lowlevel.open_process``, whose threads end when idle.
    """
    if (prctl := _prctl()) is None:
        return None

    def ask_to_be_killed() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return ask_to_be_killed


@asynccontextmanager
async def open_output(process: subprocess.Popen[bytes]) -> AsyncIterator[Output]:
    """The output of a child, to be read on up to its end, as long as the block lasts."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    descriptor = process.stdout.fileno()
    if not hasattr(trio.lowlevel, "FdStream"):  # Windows
        async with aclosing(_read_by_threads(descriptor)) as chunks:
            yield chunks
        return
    descriptor = os.dup(descriptor)
    process.stdout.close()
    async with trio.lowlevel.FdStream(descriptor) as stream:
        yield stream


async def _read_by_threads(descriptor: int) -> AsyncGenerator[bytes, None]:
    """Read a pipe; a thread that waits for output is left behind when nobody listens."""
    read = partial(os.read, descriptor, _CHUNK)
    while chunk := await trio.to_thread.run_sync(read, abandon_on_cancel=True):
        yield chunk


async def wait_ended(process: subprocess.Popen[bytes]) -> None:
    """Return when a child has ended; it is not reaped, so its number stays its own."""
    if hasattr(os, "pidfd_open"):
        number = os.pidfd_open(process.pid)
        try:
            await trio.lowlevel.wait_readable(number)
        finally:
            os.close(number)
    elif hasattr(os, "waitid"):
        await trio.to_thread.run_sync(
            os.waitid, os.P_PID, process.pid, os.WEXITED | os.WNOWAIT, abandon_on_cancel=True
        )
    else:  # Windows keeps the number as long as there is a handle
        await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
