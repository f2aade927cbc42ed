"""The filter of system calls: by its instructions for both machines, and by the kernel for this."""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path

import pytest
from tests.hosting.sandbox.boxes import run

from polynya_hosting.bots.supervised_process import how_ended
from polynya_hosting.sandbox.system_calls import (
    LOOKED_AT,
    OF_OTHERS,
    REFUSED,
    filter_among_others,
    filter_program,
)

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
NEW_USER, NEW_NET, VM = 0x10000000, 0x40000000, 0x100
AF_UNIX, AF_INET, AF_NETLINK, AF_ALG, AF_VSOCK = 1, 2, 16, 38, 40
TIOCSTI, TIOCGWINSZ = 0x5412, 0x5413


def verdict(
    machine: str,
    number: int,
    *arguments: int,
    architecture: int | None = None,
    among_others: bool = False,
) -> int:
    """What the filter of a machine says of a call: its instructions, one after the other."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    call = struct.pack("=iIQ6Q", number, architecture or MACHINES[machine][1], 0, *given)
    program = (filter_among_others if among_others else filter_program)(machine)
    assert program is not None
    at, value = 0, 0
    while True:
        code, if_so, if_not, operand = struct.unpack_from("=HBBI", program, at * 8)
        match code:
            case 0x20:
                [value] = struct.unpack_from("=I", call, operand)
                at += 1
            case 0x06:
                assert isinstance(operand, int)
                return operand
            case _:
                holds = {
                    0x15: value == operand,
                    0x35: value >= operand,
                    0x45: bool(value & operand),
                }[code]
                at += 1 + (if_so if holds else if_not)


@pytest.mark.parametrize("machine", MACHINES)
def test_each_call_of_the_list_fails_and_all_others_are_allowed(machine: str) -> None:
    place = MACHINES[machine][0]
    refused = {numbers[place] for numbers in REFUSED.values()} - {None}
    looked_at = {numbers[place] for numbers in (*LOOKED_AT.values(), *OF_OTHERS.values())}
    for number in range(600):
        if number not in looked_at:
            expected = FAIL | errno.EPERM if number in refused else ALLOW
            assert (number, verdict(machine, number)) == (number, expected)


@pytest.mark.parametrize("machine", MACHINES)
def test_processes_and_threads_can_be_made_and_namespaces_not(machine: str) -> None:
    clone, clone3 = (LOOKED_AT[name][MACHINES[machine][0]] for name in ("clone", "clone3"))
    assert verdict(machine, clone, VM) == ALLOW
    assert verdict(machine, clone, VM | NEW_USER) == FAIL | errno.EPERM
    assert verdict(machine, clone, NEW_NET) == FAIL | errno.EPERM
    assert verdict(machine, clone3) == FAIL | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_are_of_families_that_programs_need(machine: str) -> None:
    number = LOOKED_AT["socket"][MACHINES[machine][0]]
    for family in (AF_UNIX, AF_INET, AF_NETLINK):
        assert verdict(machine, number, family) == ALLOW
    for family in (AF_ALG, AF_VSOCK):
        assert verdict(machine, number, family) == FAIL | errno.EAFNOSUPPORT


@pytest.mark.parametrize("among_others", [False, True])
@pytest.mark.parametrize("name", OF_OTHERS)
@pytest.mark.parametrize("machine", MACHINES)
def test_process_changes_limits_and_priority_of_none_but_itself(
    machine: str, name: str, among_others: bool
) -> None:
    *numbers, itself = OF_OTHERS[name]
    number = numbers[MACHINES[machine][0]]
    assert isinstance(number, int)
    assert verdict(machine, number, *itself, among_others=among_others) == ALLOW
    for place in range(len(itself)):
        others = [value + (at == place) * 77 for at, value in enumerate(itself)]
        found = verdict(machine, number, *others, among_others=among_others)
        assert found == FAIL | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_filter_among_others_leaves_all_else_to_another(machine: str) -> None:
    place = MACHINES[machine][0]
    of_others = {numbers[place] for numbers in OF_OTHERS.values()}
    refused = {
        number
        for number in set(range(600)) - of_others
        if verdict(machine, number, among_others=True) != ALLOW
    }
    assert refused == {REFUSED["sched_setaffinity"][place]}


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_can_be_typed_into_a_terminal(machine: str) -> None:
    number = LOOKED_AT["ioctl"][MACHINES[machine][0]]
    assert verdict(machine, number, 0, TIOCSTI) == FAIL | errno.EPERM
    assert verdict(machine, number, 0, TIOCGWINSZ) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_call_of_another_architecture_ends_the_program(machine: str) -> None:
    for architecture in (0x40000003, 0x40000028):  # i386, arm
        assert verdict(machine, 1, architecture=architecture) == KILL
    if machine == "x86_64":
        assert verdict(machine, 0x40000001) == KILL, "the numbers of x32"


def test_machine_whose_numbers_are_not_known_has_no_filter() -> None:
    assert filter_program("riscv64") is None


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"there is no {HEADERS[machine]}: on Debian, apt install linux-libc-dev")
    text = HEADERS[machine].read_text()
    found = {name: int(number) for name, number in re.findall(r"__NR_(\w+)\s+(\d+)", text)}
    place = MACHINES[machine][0]
    for name, numbers in {**REFUSED, **LOOKED_AT, **OF_OTHERS}.items():
        assert (name, numbers[place]) == (name, found.get(name))


@pytest.mark.skipif(os.uname().machine not in MACHINES, reason="no filter for this machine")
async def test_kernel_holds_the_filter_for_bot_and_guard(folder: Path) -> None:
    numbers = {name: numbers[MACHINES[os.uname().machine][0]] for name, numbers in REFUSED.items()}
    program = f"""
import ctypes, json, os, socket, subprocess, threading
call = ctypes.CDLL(None, use_errno=True).syscall
others = {{}}
for name, number in {numbers}.items():
    ctypes.set_errno(0)
    if number is not None:
        call(number, 0, 0, 0, 0, 0)
        if ctypes.get_errno() != {errno.EPERM}:
            others[name] = ctypes.get_errno()
def family(number):
    try:
        socket.socket(number).close()
    except OSError as error:
        return error.errno
status = [open(f"/proc/{{number}}/status").read() for number in (1, "self")]
threading.Thread(target=subprocess.run, args=(["true"],)).start()
print(json.dumps([others, family({AF_VSOCK}), family({AF_UNIX}),
                  ["Seccomp:\\t2" in one for one in status]]))
"""
    others, vsock, unix, filtered = (await run(folder, program)).said
    assert others == {}
    assert (vsock, unix) == (errno.EAFNOSUPPORT, None)
    assert filtered == [True, True]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="its older calls are of x86")
async def test_bot_that_makes_a_call_of_an_older_architecture_is_ended(folder: Path) -> None:
    program = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    ran = await run(folder, program)
    assert ran.end.code == -31
    assert (
        str(how_ended(ran.end))
        == "was ended by signal 31: it made a system call that is not allowed"
    )
