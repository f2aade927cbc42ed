"""Runs a program under Landlock: the kernel enforces rules on files, connections and signals.

A program of its own, between the guard and the bot::

    python -I landlock_program.py RULES PROGRAM [ARGUMENT ...]

``RULES`` are JSON: ``readable`` and ``writable`` paths, ``connect``, the addresses that it may
connect to, ``directory``, ``memory_mb`` and ``processes``, both null where a control group holds
them, ``refused`` system calls by their names, and ``filter``, a filter of system calls in
hexadecimal, empty for none. The library sandlock applies them, and a list of refused system calls
of its own; the calls that rules of paths cannot decide it answers here, so this stays beside the
bot until it has ended. The filter holds for this program too: its bot inherits it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import struct
import sys
from typing import Any

_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2


def main(rules: dict[str, Any], words: list[str]) -> int:
    """Run a program under these rules; its exit code, -1 if a signal ended it."""
    from sandlock import Sandbox

    _filter_calls(bytes.fromhex(rules["filter"]))
    limits: dict[str, Any] = {}
    if rules["memory_mb"] is not None:
        limits["max_memory"] = f"{rules['memory_mb']}M"
    if rules["processes"] is not None:
        limits["max_processes"] = rules["processes"]
    sandbox = Sandbox(
        fs_readable=rules["readable"],
        fs_writable=rules["writable"],
        net_allow=rules["connect"],
        cwd=rules["directory"],
        extra_deny_syscalls=rules["refused"],
        **limits,
    )
    return int(sandbox.run_interactive(words))


def _filter_calls(program: bytes) -> None:
    """Hold this process, and those that it starts, to a filter of system calls (seccomp(2)).

    Raises:
        OSError: the kernel does not take it.
    """
    if not program:
        return
    text = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for words in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, described, 0, 0),
    ):
        if prctl(*words) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"no filter of system calls: {os.strerror(number)}")


if __name__ == "__main__":
    code = main(json.loads(sys.argv[1]), sys.argv[2:])
    if code < 0:  # sandlock does not say which one: the guard tells how this process ends
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(code)
