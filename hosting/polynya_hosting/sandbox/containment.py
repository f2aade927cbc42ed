"""Proves that a sandbox contains: compares the rights of a program in it with those of the host.

A program that only seems to be in a sandbox has the rights of the host: firejail, for example, does
nothing inside another sandbox, and says so only without ``--quiet``. So before a run the sandbox
runs :data:`PROBE`, which prints its namespaces (namespaces(7)), its user, and the fields of
``/proc/self/status`` that show rights (proc_pid_status(5)).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts")
_FIELDS = ("Uid", "CapEff", "NoNewPrivs", "Seccomp_filters")
_ISOLATING = ("user", "mnt", "pid", "net")
"""The namespaces of which a command must make one at least: another host name contains nothing."""

PROBE = """for name in user mnt pid net ipc uts; do
  echo "polynya: $name $(readlink "/proc/$$/ns/$name")"
done
while read -r field value rest; do
  case $field in Uid:|CapEff:|NoNewPrivs:|Seccomp_filters:) echo "polynya: ${field%:} $value";; esac
done < "/proc/$$/status"
read -r line 2>/dev/null < "$0" && echo "polynya: bait $line"
echo "polynya: end"
"""
"""A script of sh(1), whose ``$0`` is a file that only the host may read."""
_MARK = "polynya: "


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a process.

    Attributes:
        namespaces: its namespaces by their kinds, as the links in ``/proc/PID/ns`` name them.
        fields: of its status, in the words of the kernel.
        read_bait: whether it could read the file that only the host may read.
    """

    namespaces: Mapping[str, str]
    fields: Mapping[str, str]
    read_bait: bool = False

    @property
    def filters(self) -> int:
        """The filters of system calls that hold it."""
        return int(self.fields.get("Seccomp_filters", "0"))


def rights_here() -> Rights:
    """The rights of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines()
    words = [line.replace(":", " ").split() for line in lines]
    fields = {name: value for name, value, *_ in (one for one in words if len(one) > 1)}
    return Rights(
        {name: str(Path(f"/proc/self/ns/{name}").readlink()) for name in NAMESPACES},
        {name: fields[name] for name in _FIELDS if name in fields},
    )


def rights_told(lines: Iterable[str]) -> Rights | None:
    """The rights that the probe has printed; None if it did not come to its end."""
    pairs = [line.removeprefix(_MARK).split(" ", 1) for line in lines if line.startswith(_MARK)]
    told = {pair[0]: pair[-1] for pair in pairs}
    if "end" not in told:
        return None
    return Rights(
        {name: told[name] for name in NAMESPACES if name in told},
        {name: told[name] for name in _FIELDS if name in told},
        "bait" in told,
    )


def own_namespaces_missing(host: Rights, inside: Rights) -> list[str]:
    """The kinds of namespaces that a program shares with the host."""
    return [name for name in NAMESPACES if inside.namespaces.get(name) == host.namespaces[name]]


def flaw_of_namespaces(host: Rights, inside: Rights) -> str:
    """How a program with namespaces of its own and no rights falls short; empty if it does not."""
    if shared := own_namespaces_missing(host, inside):
        return f"it shares these namespaces with the host: {', '.join(shared)}"
    if int(inside.fields.get("CapEff", "0"), 16):
        return f"it has capabilities ({inside.fields['CapEff']})"
    return _flaw_of_privileges(inside)


def flaw_of_rules(host: Rights, inside: Rights) -> str:
    """How a program that only rules of the kernel contain falls short; empty if it does not."""
    if inside.read_bait:
        return "it could read a file of the host"
    if inside.filters <= host.filters:
        return "no filter of system calls holds it"
    return _flaw_of_privileges(inside)


def flaw_of_command(host: Rights, inside: Rights) -> str:
    """How a program in a command of the host's falls short; empty if it does not.

    The host decides what its command contains; it must only be more than nothing.
    """
    shared = own_namespaces_missing(host, inside)
    if (
        any(name not in shared for name in _ISOLATING)
        or inside.fields.get("Uid") != host.fields.get("Uid")
        or inside.filters > host.filters
    ):
        return ""
    return (
        "it has the namespaces, the user and the system calls of the host, as if it were in no "
        "sandbox; firejail, for one, does nothing within another sandbox"
    )


def _flaw_of_privileges(inside: Rights) -> str:
    gains = inside.fields.get("NoNewPrivs", "1") != "1"
    return "it may gain privileges (NoNewPrivs is 0)" if gains else ""
