"""Hostile bots that try the less common ways through the kernel."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from pathlib import Path

import pytest
from tests.hosting.sandbox import boxes
from tests.hosting.sandbox.boxes import needs_groups
from tests.hosting.sandbox.hostile import HEAD, run

from polynya_hosting.bots.cores import core_numbers
from polynya_hosting.bots.supervised_process import how_ended
from polynya_hosting.sandbox.system_calls import filter_program

pytestmark = pytest.mark.usefixtures("nothing_is_left")

needs_filter = pytest.mark.skipif(
    filter_program(os.uname().machine) is None, reason="no filter of system calls for this machine"
)
REFUSED = "Operation not permitted"


@needs_filter
async def test_keys_of_the_kernel_are_out_of_reach(folder: Path) -> None:
    deeds = """
add_key, keyctl = (248, 250) if os.uname().machine == "x86_64" else (217, 219)
print(json.dumps([call(libc.syscall(add_key, b"user", b"secret", b"x", 1, -3)),
                  call(libc.syscall(keyctl, 0, -3, 0)),
                  could(lambda: open("/proc/keys").read())]))
"""
    added, listed, _ = (await run(folder, HEAD + deeds)).said
    assert [added, listed] == [REFUSED] * 2


@needs_filter
async def test_io_uring_does_not_go_round_the_filter(folder: Path) -> None:
    deed = "print(json.dumps(call(libc.syscall(425, 8, bytes(120)))))"
    assert (await run(folder, HEAD + deed)).said == REFUSED


async def test_file_in_memory_that_is_run_has_the_same_rights(folder: Path) -> None:
    program = """
descriptor = os.memfd_create("x", 0)
os.write(descriptor, open("/usr/bin/id", "rb").read())
done = subprocess.run(["/usr/bin/id", "-u"], executable=f"/proc/self/fd/{descriptor}",
                      pass_fds=[descriptor], capture_output=True, text=True)
print(json.dumps(int(done.stdout)))
"""
    assert (await run(folder, HEAD + program)).said not in (0, os.getuid())


@needs_groups
async def test_files_in_memory_count_as_memory(folder: Path) -> None:
    filler = """
held = [os.memfd_create(str(number), 0) for number in range(32)]
for one in held:
    for _ in range(8): os.write(one, bytes(2**20))
"""
    ran = await run(folder, HEAD + filler, memory_mb=64)
    assert str(how_ended(ran.end)) == "was ended by signal 9: 64 MiB of memory used up"


async def test_no_descriptor_of_the_host_is_inherited(folder: Path) -> None:
    with socket.socket() as listening:
        os.set_inheritable(listening.fileno(), True)
        seen = """
links = {}
for name in os.listdir("/proc/self/fd"):
    with contextlib.suppress(OSError):
        links[name] = os.readlink(f"/proc/self/fd/{name}").partition(":")[0]
print(json.dumps(links))
"""
        links = (await run(folder, HEAD + seen)).said
    assert links == {"0": "/dev/null", "1": "pipe", "2": "pipe"}


async def test_shared_memory_and_queues_of_the_host_are_not_there(folder: Path) -> None:
    key = 0x504F4C59
    libc = ctypes.CDLL(None)
    created = 0o1000 | 0o666
    segment = libc.shmget(key, 4096, created)
    queue = libc.msgget(key, created)
    try:
        deeds = f"""
print(json.dumps([call(libc.shmget({key}, 4096, 0)), call(libc.msgget({key}, 0)),
                  open("/proc/sysvipc/shm").read().count("\\n"),
                  could(lambda: os.listdir("/dev/mqueue"))]))
"""
        found = (await run(folder, HEAD + deeds)).said
    finally:
        libc.shmctl(segment, 0, None)
        libc.msgctl(queue, 0, None)
    assert found == ["No such file or directory"] * 2 + [1, "No such file or directory"]


@needs_filter
async def test_nothing_is_typed_into_the_hosts_terminal(folder: Path) -> None:
    deeds = """
import fcntl
master, slave = os.openpty()
print(json.dumps([could(lambda: open("/dev/tty")),
                  could(lambda: fcntl.ioctl(slave, 0x5412, b"x"))]))
"""
    no_terminal, typed = (await run(folder, HEAD + deeds)).said
    assert no_terminal in ("No such device or address", "No such file or directory")
    assert typed == REFUSED


async def test_crash_writes_no_image_of_memory(folder: Path, tmp_path: Path) -> None:
    crash = """
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
os.mkdir("/tmp/crash")
os.chdir("/tmp/crash")
if os.fork() == 0:
    os.abort()
_, status = os.wait()
print(json.dumps([hard, os.WCOREDUMP(status), os.listdir()]))
"""
    assert (await run(folder, HEAD + crash)).said == [0, False, []]
    assert [path.name for path in tmp_path.rglob("core*")] == []


async def test_sparse_file_is_no_larger_than_a_file_may_be(folder: Path) -> None:
    sparse = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open("/tmp/x", "wb") as file:
    print(json.dumps([could(lambda: file.truncate(2**40)), os.path.getsize("/tmp/x")]))
"""
    assert (await run(folder, HEAD + sparse)).said == ["File too large", 0]


async def test_priority_is_not_raised(folder: Path) -> None:
    deeds = """
print(json.dumps([
    could(lambda: os.setpriority(os.PRIO_PROCESS, 0, -5)),
    could(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))),
    could(lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))),
    could(lambda: os.sched_setaffinity(1, {0})),
    could(lambda: os.setpriority(os.PRIO_USER, 0, 5)),
    could(lambda: os.setpriority(os.PRIO_PROCESS, 1, 5)),
    could(lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1))),
    could(lambda: os.setpriority(os.PRIO_PROCESS, 0, 5)),
    could(lambda: resource.setrlimit(resource.RLIMIT_CPU, (50, 50))),
]))
"""
    nice, *refused, own, limit = (await run(folder, HEAD + deeds)).said
    assert nice == "Permission denied"
    assert refused == [REFUSED] * 6
    assert [own, limit] == ["done"] * 2, "a process may lower its own"


@needs_filter
@pytest.mark.skipif(len(core_numbers()) < 2, reason="there is one core")
async def test_pinned_bot_does_not_leave_its_core(folder: Path) -> None:
    deeds = f"""
chosen = could(lambda: os.sched_setaffinity(0, {core_numbers()}))
print(json.dumps([chosen, list(os.sched_getaffinity(0))]))
"""
    core = core_numbers()[-1]
    ran = await boxes.run(folder, HEAD + deeds, core=core)
    assert ran.said == [REFUSED, [core]]


@needs_filter
async def test_sockets_to_the_machine_around_are_refused(folder: Path) -> None:
    deeds = """
def opened(family, kind):
    return could(lambda: socket.socket(family, kind))
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as routes:
    request = bytes.fromhex("%s")
    routes.send(request)
    changed = int.from_bytes(routes.recv(4096)[16:20], sys.byteorder, signed=True)
print(json.dumps([opened(40, socket.SOCK_STREAM), opened(17, socket.SOCK_RAW),
                  could(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
                  os.strerror(-changed)]))
"""
    # RTM_SETLINK with the flag IFF_UP for the first interface, to be acknowledged
    link = struct.pack("=IHHII", 32, 19, 5, 1, 0) + struct.pack("=BBHiII", 0, 0, 0, 1, 0, 1)
    vsock, packet, raw, changed = (await run(folder, HEAD + deeds % link.hex())).said
    assert [vsock, packet] == ["Address family not supported by protocol"] * 2
    assert [raw, changed] == [REFUSED] * 2


async def test_watches_of_files_and_pipes_are_used_up_for_the_bot_alone(folder: Path) -> None:
    deeds = """
pipes = []
with contextlib.suppress(OSError):
    while True: pipes.append(os.pipe())
held = len(pipes)
for one in pipes:
    for descriptor in one: os.close(descriptor)
watches, at = 0, libc.inotify_init()
for number in range(3000):
    os.mkdir(f"/tmp/{number}")
    watches += libc.inotify_add_watch(at, f"/tmp/{number}".encode(), 2) >= 0
print(json.dumps([held, watches]))
"""
    held, watches = (await run(folder, HEAD + deeds)).said
    assert 100 < held < 128, "256 open files"
    assert watches > 0


async def test_program_of_the_guard_cannot_be_changed(folder: Path) -> None:
    guard = Path("hosting/polynya_hosting/bots/guard.py").absolute()
    before = guard.read_bytes()
    deeds = f"""
print(json.dumps([could(lambda: open({str(guard)!r}, "w")),
                  could(lambda: open("/proc/1/exe", "rb")),
                  could(lambda: open({sys.executable!r}, "r+b")),
                  could(lambda: os.link({str(guard)!r}, "/tmp/guard")),
                  could(lambda: os.rename("/usr", "/tmp/usr"))]))
"""
    found = (await run(folder, HEAD + deeds)).said
    assert "done" not in found
    assert guard.read_bytes() == before


async def test_many_threads_are_as_many_processes(folder: Path) -> None:
    bomb = """
import threading
started = 0
with contextlib.suppress(RuntimeError):
    while True:
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        started += 1
print(json.dumps(started), flush=True)
os._exit(0)
"""
    assert (await run(folder, HEAD + bomb, processes=16)).said == 15


async def test_locked_memory_and_huge_mappings_get_no_more(folder: Path) -> None:
    deeds = """
area = mmap.mmap(-1, 64 * 2**20)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(area)))
locked = call(libc.mlock(address, ctypes.c_size_t(64 * 2**20)))
huge = could(lambda: mmap.mmap(-1, 2**21, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000))
print(json.dumps([locked, huge]))
"""
    locked, _ = (await run(folder, HEAD + deeds, memory_mb=512)).said
    assert locked == "Cannot allocate memory"
