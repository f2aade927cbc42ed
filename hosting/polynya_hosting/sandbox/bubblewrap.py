"""The driver for bubblewrap (bwrap(1)): runs each program in its own namespaces, without rights.

If the host is root, a user without an account runs it. That user may not enter folders that only
root may: the outer of two bwraps mounts the bot's visible files where the inner one can reach them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import cycle
from pathlib import Path

from msgspec.structs import replace

from polynya_common.errors import ConfigurationError
from polynya_contest.config.builtin_bots import Room
from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_hosting.sandbox.containment import Rights, flaw_of_namespaces, rights_here
from polynya_hosting.sandbox.control_groups import control_group
from polynya_hosting.sandbox.guard_settings import MIB, resource_limits, settings_word
from polynya_hosting.sandbox.host_command import host_environment
from polynya_hosting.sandbox.interface import Hears, Program
from polynya_hosting.sandbox.limited_box import LimitedBox
from polynya_hosting.sandbox.runtime_limits import runtime_variables
from polynya_hosting.sandbox.system_calls import open_filter
from polynya_hosting.sandbox.visible_files import (
    SYSTEM,
    SYSTEM_FILES,
    existing,
    is_system,
    python_links,
    python_paths,
)

BUILDER = 60_999
"""The user that programs run as that may write into their folder, where the host is root."""

_FIRST_USER = 60_600
_USERS = cycle(range(_FIRST_USER, BUILDER))
"""The users of all others, one after the other: what the kernel counts by user (watches of files,
memory of pipes) one bot cannot use up for the others.

No account has these numbers: they are between those of people and those of services (systemd's
"Users, Groups, UIDs and GIDs").
"""

_STAGE = "/mnt"
"""Where the outer bwrap shows things, in a mount namespace of its own; every system has it."""

_HOME = "/tmp"  # noqa: S108 - of the sandbox
_VERSION_S = 10


class Bubblewrap:
    """The driver ``bubblewrap``.

    Args:
        paths: files and folders that programs may read besides the system's.
        limits: what each may use.

    Raises:
        ConfigurationError: bubblewrap is not installed.
    """

    def __init__(self, paths: Iterable[Path], limits: SandboxLimits) -> None:
        program = shutil.which("bwrap")
        if program is None:
            raise ConfigurationError(
                "sandbox.driver = 'bubblewrap': there is no program bwrap here: on Debian and "
                "Ubuntu, apt install bubblewrap"
            )
        self._bwrap = program
        self._limits = limits
        self._paths = list(paths)
        self._as_user = os.geteuid() == 0 and _may_become_others()

    @cached_property
    def title(self) -> str:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        words = [self._bwrap, "--version"]
        done = subprocess.run(  # noqa: S603 - bwrap
            words, capture_output=True, text=True, timeout=_VERSION_S, check=False
        )
        return done.stdout.strip() or "bubblewrap"

    @property
    def hears(self) -> Hears:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        return "guard"

    def flaw(self, inside: Rights) -> str:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        return flaw_of_namespaces(rights_here(), inside)

    def lend(self, folder: Path) -> None:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        if not self._as_user:
            return
        for path, folders, files in os.walk(folder):
            for name in (*folders, *files):
                os.lchown(os.path.join(path, name), BUILDER, BUILDER)
        os.lchown(folder, BUILDER, BUILDER)

    @contextmanager
    def enclose(
        self, program: Program, guard: Sequence[str], *, only_try: bool = False
    ) -> Iterator[LimitedBox]:
        """See :class:`~polynya_hosting.sandbox.interface.Sandbox`."""
        with (
            control_group(
                _with_room(self._limits, program.room), helpers=3 if self._as_user else 2
            ) as group,
            open_filter() as calls,
            _outside(program) as outside,
        ):
            # With room for files in it, the group's memory may be more than the program's.
            kept = group.keeps - {"memory"} if program.room else group.keeps
            limits = resource_limits(self._limits, kept)
            settings = (
                {"try": 1} if only_try else {"listen": 1, **limits, **_duties(program, outside)}
            )
            guarded = [os.path.realpath(guard[0]), *guard[1:], settings_word(settings)]
            shown = self._shown(program, Path(guard[-1]))
            user = (BUILDER if program.room else next(_USERS)) if self._as_user else None
            bwrap = self._bwrapped(program, shown, user, calls)
            words = [*bwrap, *guarded, *program.words]
            yield LimitedBox(
                group.joined(words),
                _environment(program, self._limits),
                Path("/"),
                not only_try,
                self._limits.output_mb * MIB,
                group,
                self._limits.memory_mb,
                user,
                inherits=tuple(one for one in (calls, outside) if one is not None),
            )

    def _shown(self, program: Program, guard: Path) -> list[Path]:
        """The paths that the program may read besides the system."""
        own = [] if program.folder is None or program.room else [program.folder]
        parts = [guard, *([guard.with_name("work_folder.py")] if program.room else [])]
        paths = [*existing(SYSTEM_FILES), *python_paths(), *parts, *self._paths, *own]
        return list(dict.fromkeys(path for path in paths if not is_system(path)))

    def _bwrapped(
        self, program: Program, shown: Sequence[Path], user: int | None, calls: int | None
    ) -> list[str]:
        """The words up to the guard.

        Args:
            program: which.
            shown: what it may read besides the system.
            user: who runs it; None for ours.
            calls: the descriptor of the filter of system calls; None without one.
        """
        filtered = [] if calls is None else ["--seccomp", str(calls)]
        if user is None:
            return self._inner(program, {path: str(path) for path in shown}, filtered)
        staged = {path: f"{_STAGE}/{number}" for number, path in enumerate(shown)}
        outer = [self._bwrap, "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", _STAGE]
        for path, at in staged.items():
            outer += ["--ro-bind", str(path), at]
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        return [*outer, "--", *become, *self._inner(program, staged, filtered)]

    def _inner(
        self, program: Program, sources: Mapping[Path, str], filtered: Sequence[str]
    ) -> list[str]:
        user = str(BUILDER)  # inside every bot is this one
        size = str(self._limits.space_mb * MIB)
        words = [
            *(self._bwrap, "--unshare-all", "--unshare-user", "--disable-userns"),
            *("--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", *filtered),
            *("--uid", user, "--gid", user, "--hostname", "sandbox"),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--size", size, "--perms", "1777", "--tmpfs", "/dev/shm"),  # noqa: S108
            *("--remount-ro", "/dev", "--size", size, "--perms", "1777", "--tmpfs", _HOME),
            *_system(),
        ]
        for link, target in python_links().items():
            words += ["--symlink", target, str(link)]
        for path, source in sources.items():
            words += ["--ro-bind", source, str(path)]
        if program.room is None:
            words += ["--dir", str(program.directory)]
        else:
            room = str(program.room.mib * MIB)
            words += ["--size", room, "--perms", "0755", "--tmpfs", str(program.directory)]
        words += ["--remount-ro", "/"]
        for name, value in program.environment.items():
            if _is_of_loader(name):
                words += ["--setenv", name, value]
        return [*words, "--chdir", str(program.directory), "--"]


def _may_become_others() -> bool:
    """Whether root has users besides itself here: in a user namespace it may have none."""
    lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    ranges = [(int(first), int(count)) for first, _, count in map(str.split, lines)]
    return any(first <= _FIRST_USER and first + count > BUILDER for first, count in ranges)


def _with_room(limits: SandboxLimits, room: Room | None) -> SandboxLimits:
    """The limits of the control group, which counts the files in memory too."""
    return limits if room is None else replace(limits, memory_mb=limits.memory_mb + room.mib)


@contextmanager
def _outside(program: Program) -> Iterator[int | None]:
    """A descriptor of the folder that a build leaves its files in; None for other programs."""
    if program.room is None or program.folder is None:
        yield None
        return
    descriptor = os.open(program.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _duties(program: Program, outside: int | None) -> dict[str, int]:
    """The settings of the guard for a folder that a program may write into."""
    if program.room is None or outside is None:
        return {}
    return {"outside": outside, "entries": program.room.entries}


def _system() -> list[str]:
    """The system's folders, and its links as links."""
    words: list[str] = []
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    return words


def _environment(program: Program, limits: SandboxLimits) -> dict[str, str]:
    """All variables; in the words of a command every user of the machine could read them."""
    own = {name: value for name, value in program.environment.items() if not _is_of_loader(name)}
    of_box = {**runtime_variables(limits), "HOME": _HOME, "TMPDIR": _HOME}
    return {**host_environment(), **of_box, **own}


def _is_of_loader(name: str) -> bool:
    """Whether a variable changes how programs are loaded: bwrap itself must not be given it."""
    return name.startswith(("LD_", "GLIBC_"))
