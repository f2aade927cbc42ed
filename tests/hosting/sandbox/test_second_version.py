"""Control groups of version 2, as a service with ``Delegate=yes`` is given one: by a real kernel.

Where this machine has version 1 only, a kernel of its own is started as a program: user-mode Linux,
whose files are this machine's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest
from tests.folders import ROOT

_BOOT_S = 600

FIRST = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 groups /sys/fs/cgroup
ip link set lo up 2>/dev/null || ifconfig lo up
cd PLACE
PYTHON served.py > said
echo o > /proc/sysrq-trigger
sleep 60
"""

SERVED = """
import json, os, sys
from pathlib import Path
import trio
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.self_test.sandbox_self_test import self_test
from polynya_hosting.bots.supervised_process import how_ended
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_hosting.sandbox.bubblewrap import Bubblewrap
from polynya_hosting.sandbox.control_groups import parent_of

def say(what, value):
    print(json.dumps({what: value}), flush=True)

def ran(program, **limits):
    log = BotLog(None)
    command = BotCommand((sys.executable, "-c", program), {}, str(folder))
    sandbox = Bubblewrap([], SandboxLimits(**limits))
    end = trio.run(lambda: run_bot("bot", command, {}, log, sandbox=sandbox))
    return [str(how_ended(end)), log.last_lines()]

say("began", True)
folder = Path("bot").absolute()
folder.mkdir(mode=0o755)
top = Path("/sys/fs/cgroup")
service = top / "system.slice" / "polynya.service"
service.mkdir(parents=True)
for above in (top, service.parent):
    (above / "cgroup.subtree_control").write_text("+memory +pids +cpu")
os.setxattr(service, "trusted.delegate", b"1")
(service / "cgroup.procs").write_text(str(os.getpid()))

say("parents", [str(parent_of(kind).folder) for kind in ("memory", "pids", "cpu")])
say("own", Path("/proc/self/cgroup").read_text().strip())
say("hog", ran("held = []\\nwhile True: held.append(bytearray(2**20))", memory_mb=64))
say("bomb", ran('''
import os, time
children = 0
try:
    while True:
        if os.fork() == 0: time.sleep(100)
        children += 1
except OSError:
    print(children, flush=True)
    os._exit(0)
''', processes=16))
say("doctor", trio.run(self_test, SandboxSettings(driver="bubblewrap")).sentence)
say("left", sorted(path.name for path in service.iterdir() if path.is_dir()))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a program says that is served so, on a kernel of its own."""
    kernel = shutil.which("linux.uml")
    if kernel is None:
        pytest.skip("there is no user-mode Linux: on Debian, apt install user-mode-linux")
    place = tmp_path_factory.mktemp("uml")
    (place / "served.py").write_text(SERVED, encoding="utf-8")
    first = place / "first"
    first.write_text(FIRST.replace("PLACE", str(place)).replace("PYTHON", sys.executable))
    first.chmod(0o755)
    files = ["rootfstype=hostfs", "rootflags=/", "rw", f"init={first}"]
    console = subprocess.run(
        [kernel, *files, "mem=768M", "con=null", "con0=fd:0,fd:1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(place)},  # for its memory: /dev/shm may be small
        timeout=_BOOT_S,
    )
    lines = (place / "said").read_text().splitlines() if (place / "said").exists() else []
    if not lines:
        pytest.skip(f"user-mode Linux does not start here: {console.stdout[-500:]!r}")
    found: dict[str, Any] = {}
    for line in lines:
        found |= json.loads(line)
    return found


def test_group_that_a_service_was_handed_is_split_for_groups_of_bots(said: dict[str, Any]) -> None:
    service = "/system.slice/polynya.service"
    assert said["parents"] == [f"/sys/fs/cgroup{service}"] * 3
    assert said["own"] == f"0::{service}/polynya-server"


def test_memory_and_processes_are_limited_exactly_and_told(said: dict[str, Any]) -> None:
    assert said["hog"] == ["was ended by signal 9: 64 MiB of memory used up", []]
    how = "ended by itself with exit code 0: a process beyond the limit of 16 was refused"
    assert said["bomb"] == [how, ["15"]]


def test_hostile_program_is_contained(said: dict[str, Any]) -> None:
    driver, _, contained = said["doctor"].partition(": contains ")
    assert driver == "bubblewrap"
    assert {"processes", "signals", "limits", "memory", "forks"} <= set(contained.split(", "))
    assert ";" not in contained


def test_groups_of_bots_are_removed(said: dict[str, Any]) -> None:
    assert said["left"] == ["polynya-server"]
