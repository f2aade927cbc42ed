"""Child processes, where systems differ: their end, their output, and signals to their children.

Linux is the best served: a child dies with us, and its end is a descriptor that can be waited for.
Each part that a system does not have is replaced by what every system has.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial

import trio

_PR_SET_PDEATHSIG = 1
_CHUNK = 16 * 1024

Output = AsyncIterator[bytes | bytearray] | AsyncIterator[bytes]


def start_child(
    words: Sequence[str], directory: str | None, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a program whose output, and what it says of errors, is one pipe.

    Ctrl-C in our terminal does not reach it.

    Raises:
        OSError: it cannot be started.
    """
    return subprocess.Popen(  # noqa: S603 - starting the host's own commands is the purpose
        words,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Windows ignores it, and has this instead:
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        preexec_fn=_die_with_parent(),
    )


def _die_with_parent() -> Callable[[], None] | None:
    """What a child does first, so that it does not outlive a server that is killed.

    The signal comes when the *thread* that started the child ends, so children are started in the
    thread of the loop, never by ``trio.lowlevel.open_process``, whose threads end when idle.
    """
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        prctl = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):  # a Python without it, or another C library
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


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


def ask_to_end(process: subprocess.Popen[bytes]) -> None:
    """Tell a child and its children to end; on Windows it ends at once."""
    if hasattr(os, "killpg"):
        _signal_group(process, signal.SIGTERM)
    else:
        process.terminate()


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a child and its children by force; on Windows the child alone."""
    if hasattr(os, "killpg"):
        _signal_group(process, signal.SIGKILL)
    else:
        process.kill()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
