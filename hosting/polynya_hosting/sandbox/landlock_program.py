"""A program under Landlock: rules of files, connections and signals that the kernel holds it to.

A program of its own, between the guard and the bot::

    python -I landlock_program.py RULES PROGRAM [ARGUMENT ...]

``RULES`` are JSON: ``readable`` and ``writable`` paths, ``connect``, the addresses that it may
connect to, ``directory``, ``memory_mb`` and ``processes``, both null where a control group holds
them. The library sandlock applies them, and a list of refused system calls of its own; the calls
that rules of paths cannot decide it answers here, so this stays beside the bot until it has ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any


def main(rules: dict[str, Any], words: list[str]) -> int:
    """Run a program under these rules; its exit code, -1 if a signal ended it."""
    from sandlock import Sandbox

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
        **limits,
    )
    return int(sandbox.run_interactive(words))


if __name__ == "__main__":
    code = main(json.loads(sys.argv[1]), sys.argv[2:])
    if code < 0:  # sandlock does not say which one: the guard tells how this process ends
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(code)
