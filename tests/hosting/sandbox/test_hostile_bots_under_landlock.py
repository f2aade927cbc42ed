"""Hostile bots under Landlock, in the host's own namespaces, while honest ones play beside them."""

from __future__ import annotations

import ctypes
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from tests.hosting.sandbox import boxes, hostile
from tests.hosting.sandbox.boxes import needs_groups
from tests.hosting.sandbox.hostile import HEAD

from polynya_hosting.bots.supervised_process import how_ended
from polynya_protocol import encode
from polynya_protocol.messages import PROTOCOL_VERSION, Hello
from polynya_server import MemoryJournal, Server, ServerSettings, open_server

pytest.importorskip("sandlock")
pytestmark = pytest.mark.usefixtures("nothing_is_left")
run = partial(hostile.run, driver="landlock")


@needs_groups
async def test_fork_bomb_is_stopped(folder: Path) -> None:
    bomb = """
end = time.monotonic() + 1
while time.monotonic() < end:
    with contextlib.suppress(OSError):
        os.fork()
os._exit(0)
"""
    ran = await run(folder, HEAD + bomb, processes=16)
    assert ran.end.limits == ("a process beyond the limit of 16 was refused",)


@needs_groups
async def test_memory_hog_is_killed_and_told_why(folder: Path) -> None:
    ran = await run(folder, "held = []\nwhile True: held.append(bytearray(2**20))", memory_mb=64)
    assert str(how_ended(ran.end)) == "was ended by signal 9: 64 MiB of memory used up"


async def test_nothing_can_be_written_anywhere(folder: Path) -> None:
    writer = """
places = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", os.getcwd(), os.path.expanduser("~"))
print(json.dumps([at for at in places if could(lambda: open(f"{at}/x", "w").close()) == "done"]))
"""
    assert (await run(folder, HEAD + writer)).said == []


async def test_files_of_others_cannot_be_read_or_written(folder: Path, tmp_path: Path) -> None:
    database = tmp_path / "contest.sqlite"
    database.write_text("results")
    deeds = f"""
print(json.dumps([could(lambda: open(path, mode)) for path, mode in
                  (("/etc/passwd", "r"), ({str(database)!r}, "r"), ({str(database)!r}, "a"))]))
"""
    assert (await run(folder, HEAD + deeds)).said == ["Permission denied"] * 3
    assert database.read_text() == "results"


async def test_own_socket_alone_can_be_connected_to(folder: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_server(("127.0.0.1", 0)) as other,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind(f"\0polynya-landlock-{os.getpid()}")
        abstract.listen()
        deeds = f"""
def connected(port):
    return could(lambda: socket.create_connection(("127.0.0.1", port), timeout=2))
abstract = could(lambda: socket.socket(socket.AF_UNIX).connect({abstract.getsockname()!r}))
print(json.dumps([connected(int(os.environ["POLYNYA_PORT"])),
                  connected({server.getsockname()[1]}), connected({other.getsockname()[1]}),
                  abstract,
                  could(lambda: socket.create_server(("127.0.0.1", 0)))]))
"""
        told = {"POLYNYA_HOST": "127.0.0.1", "POLYNYA_PORT": str(server.getsockname()[1])}
        found = (await boxes.run(folder, HEAD + deeds, "landlock", told, listen=held)).said
    assert found[0] == "done"
    assert "done" not in found[1:]


@contextmanager
def held(_sock: socket.socket) -> Iterator[None]:
    """A socket whose connections nobody accepts."""
    yield


async def test_no_name_is_registered_and_nobody_looks_on_from_a_sandbox(folder: Path) -> None:
    frames = [
        encode(Hello(protocol=PROTOCOL_VERSION, name="new")),
        encode(Hello(protocol=PROTOCOL_VERSION, role="spectator")),
    ]
    deeds = f"""
def answer(port, frame):
    with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
        sock.sendall(bytes.fromhex(frame))
        return sock.recv(4096).decode("latin-1")
own = int(os.environ["POLYNYA_PORT"])
found = []
for frame in {[frame.hex() for frame in frames]}:
    found.append(could(lambda: answer(PORT, frame)))
    found.append("only bot may connect here" in answer(own, frame))
print(json.dumps(found))
"""
    settings = ServerSettings(port=0, open_registration=True)
    async with open_server(settings, MemoryJournal()) as server:
        program = HEAD + deeds.replace("PORT,", f"{server.port},")
        told = {"POLYNYA_HOST": "127.0.0.1", "POLYNYA_PORT": str(server.port)}
        listen = partial(hear, server)
        found = (await boxes.run(folder, program, "landlock", told, listen=listen)).said
        assert not server.guests.is_taken("new")
    assert found[1::2] == [True, True]
    assert "done" not in found[0::2]


def hear(server: Server, sock: socket.socket) -> AbstractContextManager[None]:
    """As a host lets the bot be heard."""
    return server.hearing(sock, "bot")


async def test_limits_priority_and_cores_of_others_are_left(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim:
        before = resource.prlimit(victim.pid, resource.RLIMIT_CPU)
        deeds = f"""
print(json.dumps([
    could(lambda: resource.prlimit({victim.pid}, resource.RLIMIT_CPU, (1, 1))),
    could(lambda: os.setpriority(os.PRIO_PROCESS, {victim.pid}, 19)),
    could(lambda: os.setpriority(os.PRIO_USER, 0, 19)),
    could(lambda: os.sched_setscheduler({victim.pid}, os.SCHED_IDLE, os.sched_param(0))),
    could(lambda: os.sched_setaffinity({victim.pid}, [0])),
    could(lambda: os.sched_setaffinity(0, [0])),
    call(libc.syscall(251 if os.uname().machine == "x86_64" else 30, 1, {victim.pid}, 3 << 13)),
]))
"""
        found = (await run(folder, HEAD + deeds)).said
        after = resource.prlimit(victim.pid, resource.RLIMIT_CPU)
        victim.kill()
    assert found == ["Operation not permitted"] * 7
    assert after == before


async def test_shared_memory_and_queues_of_the_host_are_refused(folder: Path) -> None:
    key = 0x504F4C59
    host = ctypes.CDLL(None)
    segment = host.shmget(key, 4096, 0o1666)
    deeds = f"""
print(json.dumps([call(libc.shmget({key}, 4096, 0)), call(libc.shmctl({segment}, 0, None)),
                  call(libc.msgget({key}, 0o1666)), call(libc.semget({key}, 1, 0o1666)),
                  call(libc.mq_open(b"/polynya", 0o102, 0o666, None))]))
"""
    try:
        found = (await run(folder, HEAD + deeds)).said
        assert host.shmget(key, 4096, 0) == segment
    finally:
        host.shmctl(segment, 0, None)
    assert found == ["Operation not permitted"] * 5


async def test_processes_of_others_are_out_of_reach(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim:
        deeds = f"""
traced = call(libc.ptrace(16, {victim.pid}, 0, 0))
print(json.dumps([could(lambda: os.kill({victim.pid}, 9)), traced,
                  could(lambda: open("/proc/{victim.pid}/environ", "rb").read(1)),
                  could(lambda: open("/proc/{victim.pid}/mem", "rb"))]))
"""
        found = (await run(folder, HEAD + deeds)).said
        assert victim.poll() is None
        victim.kill()
    assert "done" not in found


async def test_rights_namespaces_and_mounts_are_refused(folder: Path) -> None:
    deeds = """
status = open("/proc/self/status").read().splitlines()
print(json.dumps([
    "NoNewPrivs:\\t1" in status, "CapEff:\\t0000000000000000" in status,
    call(libc.unshare(0x10000000)), call(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    call(libc.syscall(425, 8, bytes(120))),
]))
"""
    no_new, none, *refused = (await run(folder, HEAD + deeds)).said
    assert (no_new, none) == (True, True)
    assert "done" not in refused


async def test_double_fork_in_a_session_of_its_own_ends_with_the_bot(folder: Path) -> None:
    daemon = """
for ignored in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(ignored, signal.SIG_IGN)
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(tell, b"!")
        time.sleep(1000)
    os._exit(0)
os.read(ready, 1)
os._exit(0)
"""
    await run(folder, HEAD + daemon)  # what is left is looked for after each test
