"""Runtimes in a box of 512 MiB on a host that seems to have 128 GiB and 64 cores.

A library that is loaded before the program answers for the kernel, so this tells nothing of
programs that ask the kernel themselves, as Go's do.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from tests.clients.toolchains import require
from tests.clients.toolchains import run as run_outside

from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.supervised_process import how_ended
from polynya_hosting.sandbox import control_groups
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_tournaments.uploads.building.build_tools import find_build_tools

GIB = 2**30
LARGE_HOST = Path(__file__).with_name("host_of_128_gib.c")

JAVA = """
public class Main {
    public static void main(String[] words) {
        Runtime runtime = Runtime.getRuntime();
        System.out.println("[" + runtime.maxMemory() + ", " + runtime.availableProcessors() + "]");
        if (words.length == 0) return;
        java.util.List<byte[]> held = new java.util.ArrayList<>();
        while (true) held.add(new byte[1 << 25]);
    }
}
"""
NODE = """
const v8 = require("v8");
console.log(JSON.stringify([v8.getHeapStatistics().heap_size_limit, 1]));
const held = [];
while (process.argv.length > 2) held.push(new Array(4e6).fill(held.length));
"""
GO = """package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

func main() {
	fmt.Printf("[%d, %d]\\n", debug.SetMemoryLimit(-1), runtime.GOMAXPROCS(0))
	held := [][]byte{}
	for len(os.Args) > 1 {
		block := make([]byte, 1<<26)
		for place := range block {
			block[place] = 1
		}
		held = append(held, block)
	}
}
"""
PYTHON = """
import sys
print("[0, 0]", flush=True)
held = []
while True: held.append(bytes(2**24))
"""
BLAS = """
import numpy, os
numpy.ones((300, 300)) @ numpy.ones((300, 300))
print([0, len(os.listdir("/proc/self/task"))])
"""


@dataclass(frozen=True)
class Ended:
    """A program that has ended: how, and the memory and the cores that it believes it has."""

    how: str
    memory_bytes: int
    cores: int


@pytest.fixture(scope="module")
def large_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes this machine seem large."""
    require("extension modules")
    built = tmp_path_factory.mktemp("host") / "large_host.so"
    run_outside("cc", "-shared", "-fPIC", "-o", built, LARGE_HOST, "-ldl", cwd=built.parent)
    return built


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who may make no control groups."""
    monkeypatch.setattr(control_groups, "parent_of", lambda _: None)


async def ended(folder: Path, *words: str, preload: Path | None = None) -> Ended:
    environment = {}
    if preload is not None:
        shutil.copy(preload, folder)
        environment["LD_PRELOAD"] = str(folder / preload.name)
    tools = find_build_tools()
    settings = SandboxSettings(driver="bubblewrap", paths=tuple(map(str, tools.paths)))
    path = {"PATH": ":".join([*map(str, tools.search), "/usr/bin:/bin"])}
    log = BotLog(None, kept_lines=1_000)
    command = BotCommand(tuple(words), {**environment, **path}, str(folder), str(folder))
    with trio.fail_after(120):
        end = await run_bot("bot", command, {}, log, sandbox=sandbox_of(settings))
    believed = [line for line in log.last_lines() if line.startswith("[") and line.endswith("]")]
    assert believed, log.last_lines()
    return Ended(str(how_ended(end)), *map(int, json.loads(believed[0])))


def program(folder: Path, language: str) -> Sequence[str]:
    """The command of a program that says what it believes, and takes memory with an argument."""
    require(language)
    if language == "java":
        (folder / "Main.java").write_text(JAVA)
        return ("java", "-XX:TieredStopAtLevel=1", "Main.java")
    if language == "node":
        (folder / "main.js").write_text(NODE)
        return ("node", "main.js")
    if language == "go":
        (folder / "main.go").write_text(GO)
        run_outside("go", "build", "-o", folder / "main", folder / "main.go", cwd=folder)
        return ("./main",)
    (folder / "main.py").write_text(PYTHON)
    return (sys.executable, "main.py")


@pytest.mark.parametrize("language", ["java", "node", "go"])
async def test_runtime_keeps_within_its_box_on_a_large_host(
    language: str, folder: Path, large_host: Path
) -> None:
    found = await ended(folder, *program(folder, language), preload=large_host)

    assert 100 * 2**20 < found.memory_bytes < 512 * 2**20
    assert found.cores == 1


@pytest.mark.parametrize("language", ["java", "node"])
async def test_same_runtime_sees_the_large_host_where_it_is_told_nothing(
    language: str, folder: Path, large_host: Path
) -> None:
    words = ("env", "-u", "JAVA_TOOL_OPTIONS", "-u", "NODE_OPTIONS", *program(folder, language))

    found = await ended(folder, *words, preload=large_host)

    assert found.memory_bytes > 2 * GIB


@pytest.mark.parametrize("language", ["java", "node", "go", "python"])
@pytest.mark.usefixtures("without_groups")
async def test_death_for_want_of_memory_is_named_without_control_groups(
    language: str, folder: Path
) -> None:
    found = await ended(folder, *program(folder, language), "take")

    assert "it ran out of memory: its limit is 512 MiB" in found.how


async def test_blas_starts_as_many_threads_as_its_box_has_cores(
    folder: Path, large_host: Path
) -> None:
    pytest.importorskip("numpy")
    (folder / "main.py").write_text(BLAS)

    assert (await ended(folder, sys.executable, "main.py", preload=large_host)).cores == 1


async def test_variables_of_the_bot_win(folder: Path) -> None:
    (folder / "main.py").write_text("import os; print([0, int(os.environ['GOMAXPROCS'])])")
    log = BotLog(None)
    command = BotCommand((sys.executable, "main.py"), {"GOMAXPROCS": "7"}, str(folder))

    await run_bot("bot", command, {}, log, sandbox=sandbox_of(SandboxSettings(driver="bubblewrap")))

    assert log.last_lines() == ["[0, 7]"]
