"""Builds a seccomp(2) filter that refuses system calls which no bot needs.

It shrinks the kernel's attack surface for a program without rights or other processes: it refuses
calls that trace, mount, make namespaces, load code into the kernel, or have had flaws of that kind
(keys, BPF, io_uring, userfaultfd), and calls by which a program changes the resources of another
process of its user, or leaves its assigned core. They fail with an error, as they do without
rights, so programs that only try them go on. Calls of another architecture, whose numbers mean
other calls, end the program.

The instructions are those of classic BPF (``linux/filter.h``), the numbers the kernel's
(``asm/unistd_64.h``; for aarch64 ``asm-generic/unistd.h``).
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

REFUSED: Mapping[str, tuple[int, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sched_setaffinity": (203, 122),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
"""By name the numbers on x86_64 and aarch64; None for a call that there is not."""

OF_OTHERS: Mapping[str, tuple[int, int, tuple[int, ...]]] = {
    "ioprio_set": (251, 30, (1, 0)),  # IOPRIO_WHO_PROCESS
    "prlimit64": (302, 261, (0,)),
    "sched_setattr": (314, 274, (0,)),
    "sched_setparam": (142, 118, (0,)),
    "sched_setscheduler": (144, 119, (0,)),
    "setpriority": (141, 140, (0, 0)),  # PRIO_PROCESS
}
"""Calls that are allowed with these first arguments, by which a process names itself."""

SHARED = (
    *("mq_open", "mq_unlink", "msgctl", "msgget", "msgrcv", "msgsnd", "semctl", "semget", "semop"),
    *("semtimedop", "shmat", "shmctl", "shmget"),
)
"""Memory, queues and semaphores that processes share by numbers and names that are not files."""

LOOKED_AT: Mapping[str, tuple[int, int]] = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "ioctl": (16, 29),
    "socket": (41, 198),
}
"""Calls of which some are refused; clone3, whose flags no filter sees, leaves programs clone."""

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""The place of its numbers in the tables, and its ``AUDIT_ARCH`` (``linux/audit.h``)."""

_NAMESPACES = 0x7E020000
"""The ``CLONE_NEW…`` flags: cgroup, ipc, mnt, net, pid, user and uts (``linux/sched.h``)."""
_FAMILIES = (1, 2, 10, 16)
"""Of sockets: UNIX, IPv4, IPv6, and netlink, by which programs list their addresses."""
_TERMINAL_REQUESTS = (0x5412, 0x541C)
"""TIOCSTI types into a terminal, TIOCLINUX pastes into a console (``asm-generic/ioctls.h``)."""
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Where they lie in ``struct seccomp_data``; of an argument the low half comes first."""
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000

_Instruction = tuple[int, int, int, int]
"""The code, how many instructions are skipped if a test holds and if not, and the operand."""


def filter_program(machine: str) -> bytes | None:
    """The filter for programs of a machine (uname(2)); None if its numbers are not known here."""
    if machine not in _ARCHITECTURES:
        return None
    place, _ = _ARCHITECTURES[machine]
    number_of = {name: numbers[place] for name, numbers in LOOKED_AT.items()}
    families = [one for family in _FAMILIES for one in _case(family, [_ALLOWED])]
    requests = [one for code in _TERMINAL_REQUESTS for one in _case(code, [_failing(errno.EPERM)])]
    return _packed(
        *_beginning(machine),
        *_refusing(numbers[place] for numbers in REFUSED.values()),
        *_of_others(place),
        *_case(number_of["clone3"], [_failing(errno.ENOSYS)]),
        *_case(
            number_of["clone"],
            [_argument(0), (_ANY_BIT, 0, 1, _NAMESPACES), _failing(errno.EPERM), _ALLOWED],
        ),
        *_case(number_of["socket"], [_argument(0), *families, _failing(errno.EAFNOSUPPORT)]),
        *_case(number_of["ioctl"], [_argument(1), *requests, _ALLOWED]),
    )


def filter_among_others(machine: str) -> bytes | None:
    """The filter for programs that are not in namespaces of their own; None as above.

    It refuses what they could change of other processes of their user, and leaves the rest of the
    calls to another filter, which may refuse :data:`SHARED` too.
    """
    if machine not in _ARCHITECTURES:
        return None
    place, _ = _ARCHITECTURES[machine]
    return _packed(
        *_beginning(machine),
        *_refusing([REFUSED["sched_setaffinity"][place]]),
        *_of_others(place),
    )


def _packed(*program: _Instruction) -> bytes:
    return b"".join(struct.pack("=HBBI", *one) for one in [*program, _ALLOWED])


def _beginning(machine: str) -> list[_Instruction]:
    """End programs of another architecture; then the number of the call is at hand."""
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine][1]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        program += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    return program


def _refusing(numbers: Iterable[int | None]) -> list[_Instruction]:
    known = (number for number in numbers if number is not None)
    return [one for number in known for one in _case(number, [_failing(errno.EPERM)])]


def _of_others(place: int) -> list[_Instruction]:
    """Refuse the calls of :data:`OF_OTHERS` unless their first arguments are the allowed ones."""
    program: list[_Instruction] = []
    for *numbers, allowed in OF_OTHERS.values():
        checks: list[_Instruction] = []
        for at, value in enumerate(allowed):
            checks += [_argument(at), (_EQUAL, 1, 0, value), _failing(errno.EPERM)]
        program += _case(numbers[place], [*checks, _ALLOWED])
    return program


_ALLOWED: _Instruction = (_RETURN, 0, 0, _ALLOW)


def _failing(number: int) -> _Instruction:
    return (_RETURN, 0, 0, _FAIL | number)


def _argument(place: int) -> _Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * place)


def _case(value: int, then: list[_Instruction]) -> list[_Instruction]:
    """The instructions that run ``then`` if the value at hand is this one."""
    return [(_EQUAL, 0, len(then), value), *then]


def machine_here() -> str:
    """The machine whose calls our programs make; empty for one without a filter."""
    return os.uname().machine if sys.maxsize > 2**32 else ""


@contextmanager
def open_filter() -> Iterator[int | None]:
    """A descriptor from which this machine's filter can be read once; None without a filter."""
    program = filter_program(machine_here())
    if program is None or not hasattr(os, "memfd_create"):
        yield None
        return
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, program)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
