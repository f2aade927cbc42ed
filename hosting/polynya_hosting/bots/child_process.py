"""Starts and ends child processes portably, and collects their exit codes and use of resources.

Linux is supported best: each child has a guard, and a descriptor signals its end. On other systems,
each missing part is replaced by a part that every system has.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import trio

from polynya_common.reasons import Reason
from polynya_hosting.sandbox.interface import Box

_PR_SET_PDEATHSIG = 1
_PR_GET_CHILD_SUBREAPER = 37
_CHUNK = 16 * 1024
_LOWEST = 19
_GUARD = Path(__file__).with_name("guard.py").absolute()
"""Started as a program, not imported: it uses features that only Linux has."""

OnUsed = Callable[[int, int, int], None]
"""Called with two times of the monotonic clock, in ns, and the processor time of all processes up
to the second one, in µs; nothing was used between the previous call's second time and the first."""

Output = AsyncIterator[bytes | bytearray] | AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources used by a program and its descendants.

    Attributes:
        peak_bytes: the most memory of one process.
        cpu_ms: the processor time of all processes that were waited for.
    """

    peak_bytes: int
    cpu_ms: int


class Child:
    """A started program, under a guard where the system has them, else run directly.

    Attributes:
        process: the guard (see :mod:`polynya_hosting.bots.guard`), the sandbox around it, or the
            program itself.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], to_guard: socket.socket | None = None
    ) -> None:
        self.process = process
        self._to_guard = to_guard
        self._reports: list[list[bytes]] = []
        self._unfinished = b""
        self._on_used: OnUsed = lambda *_: None

    def ask_to_end(self) -> None:
        """Tell the program and its group to end; on Windows it ends at once."""
        if self._to_guard is not None:
            with contextlib.suppress(OSError):  # the guard has ended, or has not started yet
                self._to_guard.send(b"!")
                self._wake_guard()
        elif hasattr(os, "killpg"):
            self.signal_group(signal.SIGTERM)
        else:
            self.process.terminate()

    def kill(self) -> None:
        """Kill all descendants where there is a guard, else the group; on Windows the program."""
        if self._to_guard is not None:
            with contextlib.suppress(OSError):  # the guard has ended
                self._to_guard.shutdown(socket.SHUT_WR)
                self._wake_guard()
        elif hasattr(os, "killpg"):
            self.signal_group(signal.SIGKILL)
        else:
            self.process.kill()

    def ask_used(self) -> None:
        """Ask the guard to report usage: now, and from now on up to five times a second."""
        if self._to_guard is not None:
            with contextlib.suppress(OSError):  # the guard has ended, or does not read
                self._to_guard.send(b"?", socket.MSG_DONTWAIT)

    async def follow(self, on_used: OnUsed) -> None:
        """Pass on the guard's usage reports until it has ended.

        Args:
            on_used: called with each report.
        """
        self._on_used = on_used
        if self._to_guard is None:
            return
        while True:
            await trio.lowlevel.wait_readable(self._to_guard)
            try:
                text = self._to_guard.recv(_CHUNK, socket.MSG_DONTWAIT)
            except OSError:
                return
            if not text:
                return
            self._note(text)

    def _wake_guard(self) -> None:
        """Continue the guard: a bot may have stopped it."""
        os.kill(self.process.pid, signal.SIGCONT)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and its group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    async def listener(self) -> socket.socket | None:
        """The listening socket that the guard made for the program; None if the guard has ended."""
        if self._to_guard is None:
            return None
        await trio.lowlevel.wait_readable(self._to_guard)
        text, descriptors, _, _ = socket.recv_fds(self._to_guard, _CHUNK, 1)
        self._note(text)
        return socket.socket(fileno=descriptors[0]) if descriptors else None

    def reap(self) -> None:
        """Reap the ended process, but keep its reports."""
        self.process.wait()
        if self.process.stdout is not None:  # it was ended before its output was read
            self.process.stdout.close()
        if self._to_guard is None:
            return
        with self._to_guard, contextlib.suppress(OSError):
            self._to_guard.setblocking(False)
            while text := self._to_guard.recv(_CHUNK):
                self._note(text)

    def _note(self, text: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + text).split(b"\n")
        for line in lines:
            match line.split():
                case [b"used", begin_ns, end_ns, cpu_us]:
                    self._on_used(int(begin_ns), int(end_ns), int(cpu_us))
                case report:
                    self._reports.append(report)

    def code(self) -> int:
        """How the program ended: its exit code, negative for a signal; after :meth:`reap`.

        Raises:
            OSError: it could not be started.
        """
        for report in self._reports:
            match report:
                case [b"failed", number]:
                    raise OSError(int(number), os.strerror(int(number)))
                case [b"code", number, *_]:
                    return int(number)
        code: int = self.process.returncode  # there is no guard, or it was killed
        return code

    def filled(self) -> Reason | None:
        """The limit of its folder that the program hit; after :meth:`reap`."""
        for report in self._reports:
            match report:
                case [b"full", b"build_folder_full", most]:
                    return Reason.of("build_folder_full", mebibytes=int(most))
                case [b"full", b"build_too_many_files", most]:
                    return Reason.of("build_too_many_files", most=int(most))
                case [b"full", b"build_too_deep", most]:
                    return Reason.of("build_too_deep", most=int(most))
                case [b"full", b"build_files_unkept", error]:
                    return Reason.of("build_files_unkept", error=os.strerror(int(error)))
        return None

    def usage(self) -> Usage | None:
        """The resources that the program used; None if no guard has counted. After :meth:`reap`."""
        for report in self._reports:
            match report:
                case [b"code", _, peak, cpu_ms]:
                    return Usage(int(peak) * 1024, int(cpu_ms))
        return None


def guard_words() -> list[str]:
    """The command line of a guard, up to its settings; empty if the system has no guards."""
    return [sys.executable, "-I", "-S", str(_GUARD)] if has_guards() else []


def step_back(process: int, nice: int) -> None:
    """Give a session leader and its children lower priority than the server.

    Args:
        process: its process id.
        nice: the increment, as in nice(2).
    """
    if sys.platform == "win32":
        return
    nice = min(nice + os.getpriority(os.PRIO_PROCESS, 0), _LOWEST)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, process, nice)
    # Where the kernel shares the processor among sessions, set theirs, too (sched(7), autogroup).
    with contextlib.suppress(OSError):
        Path(f"/proc/{process}/autogroup").write_text(f"{nice}")


def start_child(box: Box, core: int | None = None, nice: int = 0) -> Child:
    """Start a program in its sandbox: on ``core`` if given, with low priority if ``nice``.

    Its standard output and standard error share one pipe.

    Ctrl-C in the server's terminal does not reach it. Where there are guards, its descendants end
    with it and with the server; elsewhere its process group does, as long as the server lives to
    end it.

    Raises:
        OSError: it cannot be started; with a guard :meth:`Child.code` says so.
    """
    if not box.is_guarded:
        return Child(_start(box, subprocess.DEVNULL, preexec_fn=_die_with_parent()))
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            # Before the start: the guard passes its core and its priority to the program.
            begins = partial(_take_place, core, nice) if nice or core is not None else None
            process = _start(box, theirs.fileno(), preexec_fn=begins)
            if box.owner is not None and process.stdout is not None:
                os.fchown(process.stdout.fileno(), box.owner, -1)  # so that it may open /dev/stderr
        except BaseException:
            ours.close()
            raise
    return Child(process, ours)


def _take_place(core: int | None, nice: int) -> None:
    """Move the process that calls this to a core, and lower its priority."""
    if nice:
        os.nice(nice)
    if core is not None:
        with contextlib.suppress(OSError):  # the core was taken from the server meanwhile
            os.sched_setaffinity(0, {core})


def _start(box: Box, standard_input: int, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - starting the host's own commands is the purpose
        box.words,
        cwd=box.directory,
        env=box.environment,
        stdin=standard_input,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=box.inherits,
        start_new_session=True,  # Windows ignores it and needs this instead:
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        **more,
    )


@cache
def has_guards() -> bool:
    """Whether this system supports guards: prctl(2) and the list of a process's children."""
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
    """Run first in a child without a guard, so that it does not outlive a killed server.

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
    """Open a child's output for reading until the context exits."""
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
    """Read a pipe in a thread; the thread is abandoned if the reader leaves while it waits."""
    read = partial(os.read, descriptor, _CHUNK)
    while chunk := await trio.to_thread.run_sync(read, abandon_on_cancel=True):
        yield chunk


async def wait_ended(process: subprocess.Popen[bytes]) -> None:
    """Wait until a child has ended; it is not reaped, so its process id is not reused."""
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
    else:  # Windows keeps the process id as long as there is a handle
        await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
