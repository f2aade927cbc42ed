"""Control groups: limit the memory, processes and cores of a program and all its descendants.

Both versions, wherever this user may make groups (the kernel's documentation, "cgroup-v1" and
"cgroup-v2"). A limit that no group can keep is left to others: see :attr:`ControlGroup.keeps`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Literal

from polynya_common.reasons import Cause, Reason
from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_hosting.sandbox.guard_settings import MIB
from polynya_hosting.sandbox.interface import LimitsHit

Kind = Literal["memory", "pids", "cpu"]

_KINDS: tuple[Kind, ...] = ("memory", "pids", "cpu")
_MOUNTS = Path("/proc/self/mounts")
_OWN = Path("/proc/self/cgroup")
_PERIOD_US = 100_000
_REMOVAL_S = 5.0
_PAUSE_S = 0.002
_numbers = count(1)

JOIN = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"'
"""A script of sh: puts itself into the groups whose files are named before ``--``."""


@dataclass(frozen=True, slots=True)
class _Parent:
    """A folder in which groups are made, and the version of its files."""

    folder: Path
    version: int


class ControlGroup:
    """The group, or groups, of one program.

    Args:
        folders: the folder of each kind of limit, and the version of its files.
        limits: what is kept to.

    Attributes:
        keeps: the kinds of limits that are kept.
    """

    def __init__(self, folders: Mapping[Kind, _Parent], limits: SandboxLimits) -> None:
        self.keeps = frozenset(folders)
        self._folders = folders
        self._limits = limits

    def joined(self, words: Sequence[str]) -> list[str]:
        """A command in this group."""
        files = [str(folder / "cgroup.procs") for folder in self._unique()]
        return ["/bin/sh", "-c", JOIN, "sh", *files, "--", *words] if files else list(words)

    def limits_hit(self) -> LimitsHit:
        """The limits that the program met, in words."""
        words: list[Cause] = []
        peak = None
        if (memory := self._folders.get("memory")) is not None:
            first = memory.version == 1
            peak = _number(
                memory.folder / ("memory.max_usage_in_bytes" if first else "memory.peak")
            )
            events = memory.folder / ("memory.oom_control" if first else "memory.events")
            if _counter(events, "oom_kill"):
                words.append(Reason.of("memory_used_up", mebibytes=self._limits.memory_mb))
        pids = self._folders.get("pids")
        if pids is not None and _counter(pids.folder / "pids.events", "max"):
            words.append(f"a process beyond the limit of {self._limits.processes} was refused")
        return LimitsHit(tuple(words), peak)

    def remove(self) -> None:
        """Kill the processes left in the group, and remove it."""
        end = time.monotonic() + _REMOVAL_S
        for folder in self._unique():
            while True:
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    pass
                except OSError:
                    _kill_members(folder)
                    if time.monotonic() < end:
                        time.sleep(_PAUSE_S)
                        continue
                break

    def _unique(self) -> list[Path]:
        return list(dict.fromkeys(parent.folder for parent in self._folders.values()))


@contextmanager
def control_group(limits: SandboxLimits, helpers: int) -> Iterator[ControlGroup]:
    """A group for a program, as far as this user may make one; removed at the end of the block.

    Args:
        limits: what it keeps to.
        helpers: how many processes of ours run in it beside the program's.
    """
    name = f"polynya-{os.getpid()}-{next(_numbers)}"
    folders: dict[Kind, _Parent] = {}
    group = ControlGroup(folders, limits)
    try:
        for kind in _KINDS:
            parent = parent_of(kind)
            if parent is None:
                continue
            folder = parent.folder / name
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=True)
                made = _Parent(folder, parent.version)
                _SETTERS[kind](made, limits, helpers)
                folders[kind] = made
        yield ControlGroup(folders, limits)
    finally:
        group.remove()


def _set_memory(group: _Parent, limits: SandboxLimits, helpers: int) -> None:  # noqa: ARG001
    most = str(limits.memory_mb * MIB)
    if group.version == 1:
        _write(group.folder / "memory.limit_in_bytes", most)
        with contextlib.suppress(OSError):  # a kernel that does not count what is swapped out
            _write(group.folder / "memory.memsw.limit_in_bytes", most)
    else:
        _write(group.folder / "memory.max", most)
        with contextlib.suppress(OSError):
            _write(group.folder / "memory.swap.max", "0")


def _set_pids(group: _Parent, limits: SandboxLimits, helpers: int) -> None:
    _write(group.folder / "pids.max", str(limits.processes + helpers))


def _set_cpu(group: _Parent, limits: SandboxLimits, helpers: int) -> None:  # noqa: ARG001
    quota = limits.cores * _PERIOD_US
    if group.version == 1:
        _write(group.folder / "cpu.cfs_period_us", str(_PERIOD_US))
        _write(group.folder / "cpu.cfs_quota_us", str(quota))
    else:
        _write(group.folder / "cpu.max", f"{quota} {_PERIOD_US}")


_SETTERS: Mapping[Kind, Callable[[_Parent, SandboxLimits, int], None]] = {
    "memory": _set_memory,
    "pids": _set_pids,
    "cpu": _set_cpu,
}


@cache
def parent_of(kind: Kind) -> _Parent | None:
    """Where this process may make groups that limit this; None for nowhere."""
    _take_delegated()
    try:
        mounts = _MOUNTS.read_text().splitlines()
        own = _OWN.read_text().splitlines()
    except OSError:
        return None
    found = found_parent(kind, mounts, own)
    if found is not None:
        remove_abandoned(found.folder)
    return found


@cache
def _take_delegated() -> None:
    """Split the group of version 2 that a service was given, if we are one."""
    with contextlib.suppress(OSError):
        own = _OWN.read_text().splitlines()
        for at in _second_version(_MOUNTS.read_text().splitlines(), own):
            if _is_delegated(at):
                split(at)
                return


def _is_delegated(group: Path) -> bool:
    """Whether systemd has handed it over (its "Control Group APIs and Delegation")."""
    for name in ("trusted.delegate", "user.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(group, name) == b"1":
                return True
    return False


def split(group: Path) -> None:
    """Let groups be made in this one of version 2, which must not hold processes itself then.

    Its processes, ours among them, move into a group of their own.

    Raises:
        OSError: it is not ours.
    """
    own = group / "polynya-server"
    own.mkdir(exist_ok=True)
    for number in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            _write(own / "cgroup.procs", number)
    for kind in _KINDS:
        with contextlib.suppress(OSError):  # this one was not handed over
            _write(group / "cgroup.subtree_control", f"+{kind}")


def remove_abandoned(folder: Path) -> None:
    """Remove the groups of servers that were killed; their bots have ended with them."""
    for group in folder.glob("polynya-*-*"):
        number = group.name.split("-")[1]
        if number.isdecimal() and not Path(f"/proc/{number}").exists():
            with contextlib.suppress(OSError):  # another process was quicker, or it is not empty
                group.rmdir()


def found_parent(kind: Kind, mounts: Sequence[str], own: Sequence[str]) -> _Parent | None:
    """The same, from the lines of ``/proc/self/mounts`` and ``/proc/self/cgroup``."""
    for line in mounts:
        _, where, system, options = line.split()[:4]
        if system == "cgroup" and kind in options.split(","):
            names = [
                entry.split(":", 2)[2] for entry in own if kind in entry.split(":")[1].split(",")
            ]
            return next(
                (_Parent(at, 1) for at in _upwards(where, names) if _takes_groups(at)), None
            )
    for at in _second_version(mounts, own):
        if kind in _passed_on(at) and _takes_groups(at):
            return _Parent(at, 2)
    return None


def _second_version(mounts: Sequence[str], own: Sequence[str]) -> Iterator[Path]:
    """The groups of version 2 that this process is in and can see, from its own upwards."""
    names = [entry.split(":", 2)[2] for entry in own if entry.startswith("0::")]
    for line in mounts:
        _, where, system, _ = line.split()[:4]
        if system == "cgroup2":
            yield from _upwards(where, names)


def _upwards(mount: str, names: Sequence[str]) -> Iterator[Path]:
    """The groups of this process that can be seen, from its own up to the first."""
    top = Path(mount)
    for name in [*names, "/"]:
        at = top / name.lstrip("/")
        if ".." in at.parts or not at.is_dir():
            continue
        yield at
        yield from (above for above in at.parents if above.is_relative_to(top))


def _passed_on(group: Path) -> list[str]:
    """The controllers that the groups in this one may use."""
    try:
        return (group / "cgroup.subtree_control").read_text().split()
    except OSError:
        return []


def _takes_groups(group: Path) -> bool:
    probe = group / f"polynya-{os.getpid()}-probe"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


def _kill_members(group: Path) -> None:
    with contextlib.suppress(OSError):
        for number in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(number), signal.SIGKILL)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="ascii")


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _counter(file: Path, name: str) -> int:
    """The counter of this name in a file of names and numbers."""
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    pairs = [line.split() for line in lines]
    return next((int(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] == name), 0)
