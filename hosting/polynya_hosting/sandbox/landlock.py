"""The driver for Landlock (landlock(7)): kernel rules per program, where users make no namespaces.

The library sandlock applies them: see :mod:`polynya_hosting.sandbox.landlock_program`. The
program stays in the host's network, and may connect to the server alone; it has no folder to write
into, so there is no space to use up.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from polynya_common.errors import ConfigurationError
from polynya_common.extras import how_to_install
from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_hosting.sandbox.containment import Rights, flaw_of_rules, rights_here
from polynya_hosting.sandbox.control_groups import control_group
from polynya_hosting.sandbox.guard_settings import MIB, resource_limits, settings_word
from polynya_hosting.sandbox.host_command import host_environment
from polynya_hosting.sandbox.interface import Hears, Program
from polynya_hosting.sandbox.limited_box import LimitedBox
from polynya_hosting.sandbox.runtime_limits import runtime_variables
from polynya_hosting.sandbox.system_calls import (
    REFUSED,
    SHARED,
    filter_among_others,
    machine_here,
)
from polynya_hosting.sandbox.visible_files import SYSTEM, SYSTEM_FILES, existing, python_paths

_PROGRAM = str(Path(__file__).with_name("landlock_program.py").absolute())
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_HELPERS = 20
"""The guard, and this Python with the threads of sandlock."""
_TRY = """for file do
  command -v "$file" >/dev/null || [ -r "$file" ] || { echo "$file cannot be read"; exit 1; }
done"""


class Landlock:
    """The driver ``landlock``.

    Args:
        paths: files and folders that programs may read besides the system's.
        limits: what each may use.

    Raises:
        ConfigurationError: sandlock is not installed.
    """

    def __init__(self, paths: Iterable[Path], limits: SandboxLimits) -> None:
        try:
            self._version = importlib.metadata.version("sandlock")
        except importlib.metadata.PackageNotFoundError as error:
            raise ConfigurationError(
                "sandbox.driver = 'landlock': it needs sandlock, which is not installed: "
                f"{how_to_install('landlock')}"
            ) from error
        self._limits = limits
        self._paths = list(paths)

    @cached_property
    def title(self) -> str:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        return f"landlock (sandlock {self._version})"

    @property
    def hears(self) -> Hears:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        return "loopback"

    def flaw(self, inside: Rights) -> str:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        return flaw_of_rules(rights_here(), inside)

    def lend(self, folder: Path) -> None:
        """Programs run as our user."""

    @contextmanager
    def enclose(
        self, program: Program, guard: Sequence[str], *, only_try: bool = False
    ) -> Iterator[LimitedBox]:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        with control_group(self._limits, helpers=_HELPERS) as group:
            limits = resource_limits(self._limits, group.keeps)
            for of_all in ("nproc", "data"):  # they would count our user's, and sandlock's
                limits.pop(of_all, None)
            rules = json.dumps(self._rules(program, group.keeps))
            enclosing = [*_without_rights(), sys.executable, "-I", _PROGRAM, rules]
            words = ["sh", "-c", _TRY, "sh", *program.words] if only_try else program.words
            yield LimitedBox(
                group.joined([*guard, settings_word(limits), *enclosing, *words]),
                {
                    **host_environment(),
                    **runtime_variables(self._limits),
                    "HOME": "/nonexistent",
                    **program.environment,
                },
                program.directory,
                listens=False,
                output_bytes=self._limits.output_mb * MIB,
                group=group,
                memory_mb=self._limits.memory_mb,
            )

    def _rules(self, program: Program, kept: frozenset[str]) -> Mapping[str, Any]:
        """The rules that :mod:`~polynya_hosting.sandbox.landlock_program` reads."""
        own = [] if program.folder is None else [program.folder]
        system = [Path(name) for name in (*SYSTEM, "/proc", *_DEVICES)]
        readable = [*system, *existing(SYSTEM_FILES), *python_paths(), *self._paths, *own]
        host, port = (program.environment.get(f"POLYNYA_{word}") for word in ("HOST", "PORT"))
        return {
            "readable": [str(path) for path in dict.fromkeys(readable) if path.exists()],
            "writable": ["/dev/null", *map(str, own if program.room else [])],
            "connect": [f"{host}:{port}"] if host and port else [],
            "directory": str(program.directory),
            "memory_mb": None if "memory" in kept else self._limits.memory_mb,
            "processes": None if "pids" in kept else self._limits.processes,
            "refused": [*REFUSED, *SHARED],
            "filter": (filter_among_others(machine_here()) or b"").hex(),
        }


def _without_rights() -> list[str]:
    """The words before a command that is not to have root's capabilities."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return []
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"]
