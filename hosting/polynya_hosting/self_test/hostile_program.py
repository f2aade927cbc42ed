"""A hostile program: tries attacks that a sandbox must stop, and prints its successes as JSON.

It is started, not imported, and gets its targets as JSON in its first argument. Its children run
the attacks that could end it. It does no harm where nothing contains it: it reads a file, connects
to sockets and opens memory that were made for it, changes and ends processes that were started for
it, and releases the memory and the space that it has taken.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
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
_ANSWER_BYTES = 4096


def main(given: dict[str, Any]) -> None:
    """Run the requested attacks; print the success of each, an empty text for none."""
    tries: dict[str, Callable[[dict[str, Any]], str]] = {
        "files": files,
        "environment": environment,
        "processes": processes,
        "signals": signals,
        "limits": limits,
        "priorities": priorities,
        "cores": cores,
        "shared memory": shared_memory,
        "network": network,
        "names": names,
        "memory": memory,
        "forks": forks,
        "disk": disk,
        "builds": builds,
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
            pass  # the test sees from outside whether it is in the host's folder
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
    """End a process of the host; the test sees from outside whether it has ended."""
    with contextlib.suppress(OSError):
        os.kill(given["process"], signal.SIGKILL)
    return ""


def limits(given: dict[str, Any]) -> str:
    """Change the limits of a process of the host: a low one would end that process."""
    with contextlib.suppress(OSError):
        resource.prlimit(given["other"], resource.RLIMIT_NOFILE, (given["most"], given["most"]))
    return ""  # the test sees from outside whether it has


def priorities(given: dict[str, Any]) -> str:
    """Lower a host process's priority so that it only runs on an idle machine, or on one core."""
    process = given["other"]
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, 19)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))
    with contextlib.suppress(OSError):
        os.sched_setaffinity(process, [min(os.sched_getaffinity(process))])
    return ""  # the same


def cores(given: dict[str, Any]) -> str:
    """Leave the core that it was started on."""
    os.sched_setaffinity(0, given["cores"])
    return "chose its cores itself"


def shared_memory(given: dict[str, Any]) -> str:
    """Open shared memory of a process of the host."""
    libc = ctypes.CDLL(None)
    return "opened shared memory of the host" if libc.shmget(given["memory"], 1, 0) >= 0 else ""


def names(given: dict[str, Any]) -> str:
    """Register a name at the game server, or watch there, knowing only its port."""
    own = os.environ.get("POLYNYA_PORT")
    for port in (given["server"], *([int(own)] if own else [])):
        for deed, hello in given["hellos"].items():
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port), _CONNECT_S) as sock,
            ):
                sock.sendall(bytes.fromhex(hello))
                if b"welcome" in sock.recv(_ANSWER_BYTES):
                    return str(deed)
    return ""


def network(given: dict[str, Any]) -> str:
    """Connect to a socket of the host: by port, and by name in the abstract namespace."""
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
    """Take more memory than is allowed: in one process, and in several together."""
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
    return _unlinked(most)


def builds(given: dict[str, Any]) -> str:
    """As a build, use more of its folder than is allowed."""
    return _unlinked(given["space_mb"] * 2, os.getcwd())


def _unlinked(mib: int, *folders: str) -> str:
    """Write more into unlinked files that stay open, which a listing of the folder misses."""
    for folder in folders or ("/tmp", "/dev/shm", "/var/tmp", os.getcwd()):  # noqa: S108
        if _done_by_children(1, lambda folder=folder: _hold(folder, mib)) == 1:  # type: ignore[misc]
            return f"wrote {mib} MiB into {folder}, in files that it had unlinked"
    return ""


def _hold(folder: str, mib: int) -> None:
    held = []
    for number in range(mib):
        path = os.path.join(folder, f"polynya-{os.getpid()}-{number}")
        file = open(path, "xb")  # noqa: SIM115 - it is held
        held.append(file)
        os.unlink(path)
        file.write(bytes(_MIB))
        file.flush()
    time.sleep(_HELD_S)


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
    """Start children at the same time; count those that succeeded."""
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
