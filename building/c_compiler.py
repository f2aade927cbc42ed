"""Whether a wheel's modules are compiled: unless the builder says no, and if it is possible.

What is possible is tried, not guessed: with the compiler and the headers that setuptools will use.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

_EXTENSION = "#include <Python.h>\nPyObject *one(void) { return PyLong_FromLong(1); }\n"
_SECONDS = 120


def is_wanted() -> bool:
    """Not with ``POLYNYA_COMPILE=0``."""
    return os.environ.get("POLYNYA_COMPILE") != "0"


def hindrance() -> str | None:
    """Why nothing can be compiled here, as a part of a sentence; None if it can."""
    if sys.implementation.name != "cpython":
        return f"mypyc compiles for CPython only, and this is {sys.implementation.name}"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "")
    if not compiler:
        return "this Python knows no C compiler"
    with tempfile.TemporaryDirectory() as folder:
        return _refusal(compiler, Path(folder))


def _refusal(compiler: list[str], folder: Path) -> str | None:
    """Why this compiler does not compile what every extension module begins with."""
    source = folder / "extension.c"
    source.write_text(_EXTENSION, encoding="utf-8")
    includes = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
    command = [*compiler, *includes, "-c", str(source), "-o", str(folder / "extension.o")]
    try:
        done = subprocess.run(  # noqa: S603 - the compiler that was chosen for building
            command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return f"there is no C compiler {compiler[0]!r} (on Debian and Ubuntu: apt install gcc)"
    if "Python.h" in done.stderr:
        return "Python's headers are missing (on Debian and Ubuntu: apt install python3-dev)"
    if done.returncode != 0:
        return f"the C compiler {compiler[0]!r} fails with exit code {done.returncode}"
    return None


if __name__ == "__main__":
    sys.exit(hindrance())
