"""Hostile bots under Landlock, in the host's own namespaces, while honest ones play beside them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.hosting.sandbox import hostile
from tests.hosting.sandbox.boxes import needs_groups
from tests.hosting.sandbox.hostile import HEAD

from polynya_hosting.bots.supervised_process import how_ended

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


async def test_server_alone_can_be_connected_to(folder: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_server(("127.0.0.1", 0)) as other,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind(f"\0polynya-landlock-{os.getpid()}")
        abstract.listen()
        port = server.getsockname()[1]
        deeds = f"""
def connected(port):
    return could(lambda: socket.create_connection(("127.0.0.1", port), timeout=2))
abstract = could(lambda: socket.socket(socket.AF_UNIX).connect({abstract.getsockname()!r}))
print(json.dumps([connected(int(os.environ["POLYNYA_PORT"])),
                  connected({other.getsockname()[1]}), abstract,
                  could(lambda: socket.create_server(("127.0.0.1", 0)))]))
"""
        environment = {"POLYNYA_HOST": "127.0.0.1", "POLYNYA_PORT": str(port)}
        found = (await run(folder, HEAD + deeds, environment)).said
    assert found[0] == "done"
    assert "done" not in found[1:]


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
