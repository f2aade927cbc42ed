"""Hostile bots in bubblewrap: each is contained, reported in words, and leaves nothing over.

Honest bots play beside each of them: see :mod:`tests.hosting.sandbox.hostile`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from tests.hosting.sandbox.boxes import needs_groups
from tests.hosting.sandbox.hostile import HEAD, run, started_for

from polynya_hosting.bots.supervised_process import how_ended, usage_words

pytestmark = pytest.mark.usefixtures("nothing_is_left")


@needs_groups
async def test_fork_bomb_is_stopped_at_its_limit(folder: Path) -> None:
    bomb = """
def bomb():
    while True:
        os.fork() or time.sleep(100)
children = 0
with contextlib.suppress(OSError):
    while True:
        if os.fork() == 0:
            time.sleep(100)
        children += 1
print(json.dumps(children), flush=True)
os._exit(3)
"""
    ran = await run(folder, HEAD + bomb, processes=16)
    assert ran.said == 15
    refused = "a process beyond the limit of 16 was refused"
    assert str(how_ended(ran.end)) == f"ended by itself with exit code 3: {refused}"


@needs_groups
async def test_fork_bomb_whose_children_fork_is_stopped(folder: Path) -> None:
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
    assert usage_words(ran.end).startswith("it used 64 MiB of memory and 0.")
    assert ran.end.usage is not None
    assert 50 < ran.end.usage.peak_bytes / 2**20 <= 64


async def test_disk_filler_gets_no_more_than_its_space(folder: Path) -> None:
    filler = """
written = 0
with contextlib.suppress(OSError):
    for number in range(1000):
        with open(f"/tmp/{number}", "wb") as file:
            written += file.write(bytes(2**20))
elsewhere = [at for at in ("/", "/dev", "/usr", "/run", "/var/tmp", os.getcwd())
             if could(lambda: open(f"{at}/x", "wb").close()) == "done"]
print(json.dumps([written // 2**20, elsewhere]))
"""
    ran = await run(folder, HEAD + filler, space_mb=16, memory_mb=256)
    written, elsewhere = ran.said
    assert written <= 16
    assert elsewhere == []


@needs_groups
async def test_inode_filler_is_stopped_by_its_memory(folder: Path) -> None:
    ran = await run(
        folder,
        "import itertools\nfor n in itertools.count(): open(f'/tmp/{n}', 'wb').close()",
        memory_mb=64,
    )
    assert list(map(str, ran.end.limits)) == ["64 MiB of memory used up"]


async def test_file_larger_than_allowed_is_told(folder: Path) -> None:
    large = "import os, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
    large += "with open('/tmp/x', 'wb') as file:\n    while True: file.write(bytes(2**20))"
    ran = await run(folder, large, file_mb=2)
    assert str(how_ended(ran.end)) == "was ended by signal 25: it wrote a file larger than it may"


async def test_processor_time_that_is_used_up_is_told(folder: Path) -> None:
    ran = await run(folder, "while True: pass", cpu_s=1)
    assert str(how_ended(ran.end)) == "was ended by signal 24: its processor time used up"
    assert ran.end.usage is not None
    assert 500 <= ran.end.usage.cpu_ms <= 2500


async def test_output_without_end_waits_for_the_server(folder: Path) -> None:
    spam = """
end, written = time.monotonic() + 2, 0
os.set_blocking(1, False)
while time.monotonic() < end:
    with contextlib.suppress(BlockingIOError):
        written += os.write(1, b"x" * 4096)
os.set_blocking(1, True)
os.write(1, b"\\n" + json.dumps(written).encode() + b"\\n")
"""
    ran = await run(folder, HEAD + spam, output_mb=1)
    assert ran.said < 32 * 2**20  # without waiting it is 1 GB and more


async def test_more_open_files_than_allowed_are_refused(folder: Path) -> None:
    opener = "files = [os.dup(1) for _ in range(100)]"
    ran = await run(
        folder, HEAD + f"print(json.dumps(could(lambda: exec({opener!r}))))", open_files=64
    )
    assert ran.said == "Too many open files"


async def test_network_scanner_reaches_only_its_own_socket(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        scanner = f"""
own = int(os.environ["POLYNYA_PORT"])
lowest, highest = map(int, open("/proc/sys/net/ipv4/ip_local_port_range").read().split())
ephemeral = range(lowest, highest + 1)  # from which a socket may come to connect to itself
def open_(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0
found = [port for port in range(1, 65536)
         if port == own or port not in ephemeral and open_(port)]
far = could(lambda: socket.create_connection(("192.0.2.1", 80), timeout=2))
reached = could(lambda: socket.create_connection(("127.0.0.1", {port}), timeout=2))
print(json.dumps([found, own, far, reached]))
"""
        ran = await run(folder, HEAD + scanner)
    found, own, far, reached = ran.said
    assert [own] == found
    assert far == "Network is unreachable"
    assert reached == "Connection refused"


async def test_abstract_socket_of_the_host_is_out_of_reach(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0polynya-test-{os.getpid()}")
        server.listen()
        address = repr(server.getsockname())
        deed = f"could(lambda: socket.socket(socket.AF_UNIX).connect({address}))"
        ran = await run(folder, HEAD + f"print(json.dumps({deed}))")
    assert ran.said == "Connection refused"


async def test_files_of_others_are_not_there(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "other" / "bot.py"
    secret.parent.mkdir()
    secret.write_text("the other's openings")
    paths = [str(secret), str(tmp_path / "contest.sqlite"), "/etc/passwd", "/etc/shadow"]
    (tmp_path / "contest.sqlite").write_text("results")
    reader = f"print(json.dumps([could(lambda: open(path)) for path in {paths}]))"
    ran = await run(folder, HEAD + reader)
    assert ran.said == ["No such file or directory"] * 4


async def test_contests_database_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    database = tmp_path / "contest.sqlite"
    database.write_text("results")
    writer = (
        f"os.makedirs({str(tmp_path)!r}, exist_ok=True); open({str(database)!r}, 'w').write('mine')"
    )
    await run(folder, HEAD + f"could(lambda: exec({writer!r}))\nprint(0)")
    assert database.read_text() == "results"


async def test_own_folder_can_be_read_and_not_written(folder: Path) -> None:
    deed = "[open('program.py').read(4), could(lambda: open('program.py', 'a'))]"
    ran = await run(folder, HEAD + f"print(json.dumps({deed}))")
    read, written = ran.said
    assert read == "\nimp"
    assert written != "done"


async def test_cache_folder_is_not_shared_with_other_bots(folder: Path) -> None:
    keep = "open(os.path.expanduser('~/.cache'), 'w').write('for my friend')"
    await run(folder, HEAD + keep + "; print(0)")
    seen = "[os.path.exists(os.path.expanduser('~/.cache')), os.listdir('/dev/shm')]"
    ran = await run(folder, HEAD + f"print(json.dumps({seen}))")
    assert ran.said == [False, []]


async def test_environment_of_the_host_is_not_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    ran = await run(
        folder,
        HEAD + "print(*sorted(os.environ), sep='\\n')",
        environment={"POLYNYA_TOKEN": "mine"},
    )
    assert "SECRET_OF_THE_HOST" not in ran.lines
    assert "POLYNYA_TOKEN" in ran.lines


async def test_no_process_of_others_is_seen(folder: Path) -> None:
    seen = """
numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
environs = [could(lambda: open(f"/proc/{number}/environ").read()) for number in numbers
            if number != os.getpid()]
print(json.dumps([len(numbers), environs]))
"""
    ran = await run(folder, HEAD + seen)
    assert ran.said == [2, ["Permission denied"]], "the guard, which cannot be read, and the bot"


async def test_signals_reach_neither_the_host_nor_the_guard(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim:
        signaller = f"""
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):
    could(lambda: os.kill(1, number))
    could(lambda: os.kill({victim.pid}, number))
time.sleep(0.2)
print(json.dumps("alive"))
"""
        ran = await run(folder, HEAD + signaller)
        assert victim.poll() is None
        victim.kill()
    assert ran.said == "alive"
    assert ran.end.code == 0


async def test_all_processes_can_be_killed_without_harm_to_others(folder: Path) -> None:
    deed = "could(lambda: os.kill(-1, signal.SIGKILL))"
    ran = await run(folder, HEAD + f"print(json.dumps({deed}))")
    assert ran.said == "No such process"


async def test_guard_cannot_be_traced(folder: Path) -> None:
    trace = """
traced = libc.ptrace(16, 1, 0, 0)
error = os.strerror(ctypes.get_errno())
print(json.dumps([traced, error, could(lambda: open("/proc/1/mem", "rb")),
                  could(lambda: os.listdir("/proc/1/fd"))]))
"""
    ran = await run(folder, HEAD + trace)
    assert ran.said == [-1, "Operation not permitted", "Permission denied", "Permission denied"]


@pytest.mark.parametrize("last", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
async def test_double_fork_in_a_session_of_its_own_ends_with_the_bot(
    last: str, folder: Path
) -> None:
    daemon = f"""
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
{last}
"""
    await run(folder, HEAD + daemon)  # what is left is looked for after each test


async def test_namespaces_and_mounts_are_refused(folder: Path) -> None:
    deeds = """
print(json.dumps([
    call(libc.unshare(0x10000000)), call(libc.unshare(0x00020000)), call(libc.unshare(0x40000000)),
    call(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    call(libc.umount2(b"/proc", 2)),
    call(libc.mount(b"none", b"/", None, 0x1020 & ~1, None)),
    call(libc.chroot(b"/tmp")),
]))
"""
    ran = await run(folder, HEAD + deeds)
    assert "done" not in ran.said


async def test_setuid_programs_give_no_rights(folder: Path) -> None:
    found = """
programs = [path for path in ("/usr/bin/su", "/usr/bin/mount", "/usr/bin/passwd")
            if os.path.exists(path)]
status = open("/proc/self/status").read().splitlines()
print(json.dumps([len(programs) > 0, "NoNewPrivs:\\t1" in status,
                  "CapBnd:\\t0000000000000000" in status, could(lambda: os.setuid(0))]))
"""
    ran = await run(folder, HEAD + found)
    assert ran.said == [True, True, True, "Invalid argument"]


async def test_kernel_settings_cannot_be_written(folder: Path) -> None:
    paths = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/1/oom_score_adj"]
    ran = await run(
        folder, HEAD + f"print(json.dumps([could(lambda: open(path, 'w')) for path in {paths}]))"
    )
    assert "done" not in ran.said


async def test_bot_that_ignores_termination_is_ended(folder: Path) -> None:
    stubborn = """
for number in range(1, 65):
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(1000)
"""
    with trio.move_on_after(1.0) as scope:
        await run(folder, HEAD + stubborn)
    assert scope.cancelled_caught


SERVER = """
import sys, trio
from pathlib import Path
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_hosting.sandbox.bubblewrap import Bubblewrap
folder, python = sys.argv[1:]
command = BotCommand((python, "program.py"), {}, folder)
log = BotLog(Path(folder).parent / "log")
trio.run(lambda: run_bot("bot", command, {}, log, sandbox=Bubblewrap([], SandboxLimits())))
"""


async def test_nothing_in_a_sandbox_outlives_a_server_that_is_killed(folder: Path) -> None:
    daemon = """
for number in range(1, 65):
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    print("ready", flush=True)
time.sleep(1000)
"""
    (folder / "program.py").write_text(HEAD + daemon)
    log = folder.parent / "log"
    words = [sys.executable, "-c", SERVER, str(folder), sys.executable]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as server, trio.fail_after(120):
        while not (log.exists() and "ready" in log.read_text()):
            await trio.sleep(0.01)
        assert started_for(folder) != []
        server.kill()
        while started_for(folder):
            await trio.sleep(0.01)
