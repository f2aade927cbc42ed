"""The arenas from which the threads of a server allocate."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from tests.served import serving
from trio.testing import MockClock

from polynya_app.allocator import return_free_memory_regularly

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc gives each thread an arena"
)
HEAP = 1 << 26
"""Bytes of address space that glibc reserves for an arena of a thread, at a multiple of them."""
THREADS = """
import threading
from polynya_app.allocator import use_one_arena
{first}
ready = threading.Barrier(9)
def allocate():
    kept = bytes(100_000)
    ready.wait()
    ready.wait()
for _ in range(8):
    threading.Thread(target=allocate).start()
ready.wait()
print("ready", flush=True)
input()
ready.wait()
"""

FREED = """
from pathlib import Path
from polynya_app.allocator import return_free_memory
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])
kept = [bytes(50_000) for _ in range(4_000)]
kept[:-1] = []
before = resident()
assert return_free_memory()
print(before, resident())
"""


def arenas_of_threads(pid: int) -> int:
    """How many arenas a process has beside the main one."""
    found, used = 0, {}
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        addresses, access, *_ = line.split()
        begin, end = (int(word, 16) for word in addresses.split("-"))
        if access == "rw-p" and begin % HEAP == 0:
            used[end] = begin
        elif access == "---p" and begin in used and end - used[begin] == HEAP:
            found += 1
    return found


def arenas_of_eight_threads(first: str) -> int:
    """Arenas of a process whose eight threads allocate at the same time."""
    with subprocess.Popen(
        [sys.executable, "-c", THREADS.format(first=first)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        found = arenas_of_threads(process.pid)
        process.communicate("\n")
        assert process.returncode == 0
    return found


def test_threads_have_arenas_of_their_own_by_default() -> None:
    assert arenas_of_eight_threads("") > 1


def test_threads_share_the_main_arena_after_use_one_arena() -> None:
    assert arenas_of_eight_threads("assert use_one_arena()") == 0


def test_threads_of_a_standing_server_share_the_main_arena(
    polynya: list[str], tmp_path: Path
) -> None:
    with serving(polynya, tmp_path / "ladder.sqlite", "--web-port", "0") as server:
        assert arenas_of_threads(server.process.pid) == 0


async def test_free_memory_is_returned_once_a_minute(
    autojump_clock: MockClock,  # noqa: ARG001
) -> None:
    times: list[float] = []
    with trio.move_on_after(150):
        await return_free_memory_regularly(lambda: times.append(trio.current_time()))
    assert times == [60, 120]


def test_freed_memory_between_memory_in_use_returns_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert after < before / 2
