"""A hostile program: tries what a bot must not be able to do, and prints what it could, as JSON.

It is started, not imported, and gets its targets as JSON in its first argument. Children of it
do what could end it. It does no harm where nothing contains it: it reads a file and
connects to a socket that were made for it, ends a process that was started for it, and lets go of
the memory and the space that it has taken.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

_MIB = 1024 * 1024
_FORKS = 200
_HELD_S = 1.5
_CONNECT_S = 2


def main(given: dict[str, Any]) -> None:
    """Try all that is asked for; print what could be done of it, an empty text for nothing."""
    tries: dict[str, Callable[[dict[str, Any]], str]] = {
        "files": files,
        "environment": environment,
        "processes": processes,
        "signals": signals,
        "network": network,
        "memory": memory,
        "forks": forks,
        "disk": disk,
    }
    for subject in given["subjects"]:
        attempt = tries[subject]
        sys.stdout.write(json.dumps({"begins": subject}) + "\n")
        sys.stdout.flush()
        found = ""
        with contextlib.suppress(OSError):
            found = attempt(given)
        sys.stdout.write(json.dumps({subject: found}) + "\n")
        sys.stdout.flush()


def files(given: dict[str, Any]) -> str:
    """Read another's file; write into folders of the host."""
    with contextlib.suppress(OSError), open(given["file"], encoding="utf-8") as secret:
        return f"read {given['file']}: {len(secret.read())} characters"
    for folder in given["folders"]:
        path = os.path.join(folder, given["mark"])
        with contextlib.suppress(OSError), open(path, "x", encoding="utf-8"):
            pass  # whether it lies in the host's folder is seen outside
    return ""


def environment(given: dict[str, Any]) -> str:
    """Find a variable of the host, in its own environment or in that of another process."""
    if given["variable"] in os.environ:
        return f"has the host's variable {given['variable']}"
    for number in _numbers():
        with contextlib.suppress(OSError), open(f"/proc/{number}/environ", "rb") as variables:
            if given["variable"].encode() in variables.read():
                return f"read the variables of process {number}"
    return ""


def processes(given: dict[str, Any]) -> str:
    """See a process of the host."""
    with contextlib.suppress(OSError), open(f"/proc/{given['process']}/cmdline", "rb") as words:
        if given["mark"].encode() in words.read():
            return f"saw process {given['process']} of the host"
    return ""


def signals(given: dict[str, Any]) -> str:
    """End a process of the host: whether it has ended is seen outside."""
    with contextlib.suppress(OSError):
        os.kill(given["process"], signal.SIGKILL)
    return ""


def network(given: dict[str, Any]) -> str:
    """Connect to a socket of the host: by its port, and by its name in the abstract namespace."""
    for family, address in (
        (socket.AF_INET, ("127.0.0.1", given["port"])),
        (socket.AF_UNIX, f"\0{given['socket']}"),
    ):
        with contextlib.suppress(OSError), socket.socket(family) as sock:
            sock.settimeout(_CONNECT_S)
            sock.connect(address)
            return f"connected to {address!r} of the host"
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect((given["far"], 53))
        return f"has a way to {given['far']}"
    return ""


def memory(given: dict[str, Any]) -> str:
    """Take more than is allowed: in one process, and in several together."""
    most = given["memory_mb"]
    if _done_by_children(1, lambda: _take(most + most // 2)) == 1:
        return f"took {most + most // 2} MiB in one process"
    if _done_by_children(4, lambda: _take(most // 2)) == 4:
        return f"took {most // 2} MiB in each of four processes"
    return ""


def _take(mib: int) -> None:
    held = [bytearray(b"x" * _MIB) for _ in range(mib)]
    time.sleep(_HELD_S)
    del held


def forks(given: dict[str, Any]) -> str:
    """Start more processes than are allowed."""
    started: list[int] = []
    most = given["processes"] + 20
    with contextlib.suppress(OSError):
        while len(started) < most:
            number = os.fork()
            if number == 0:
                time.sleep(60)
                os._exit(0)
            started.append(number)
    for number in started:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    return f"started {len(started)} processes" if len(started) >= most else ""


def disk(given: dict[str, Any]) -> str:
    """Write more than is allowed, into many files."""
    most = given["space_mb"] * 2
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/dev", "/run", os.getcwd()):  # noqa: S108
        if _done_by_children(1, lambda folder=folder: _fill(folder, most)) == 1:  # type: ignore[misc]
            return f"wrote {most} MiB into {folder}"
    return ""


def _fill(folder: str, mib: int) -> None:
    written = []
    try:
        for number in range(mib):
            path = os.path.join(folder, f"polynya-{os.getpid()}-{number}")
            with open(path, "xb") as file:
                written.append(path)
                file.write(bytes(_MIB))
    finally:
        for path in written:
            os.unlink(path)


def _done_by_children(count: int, deed: Callable[[], None]) -> int:
    """How many of the children that are started at the same time did it."""
    started = []
    for _ in range(count):
        number = os.fork()
        if number == 0:
            try:
                deed()
            except (OSError, MemoryError):
                os._exit(1)
            os._exit(0)
        started.append(number)
    return sum(os.waitpid(number, 0)[1] == 0 for number in started)


def _numbers() -> Iterator[str]:
    with contextlib.suppress(OSError):
        yield from (name for name in os.listdir("/proc") if name.isdigit())


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
