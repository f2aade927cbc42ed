"""The C library: its bots, the bot of its README, and a bot in a language that only calls C."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play

FOLDER = toolchains.CLIENTS / "c"
BUILD = FOLDER / "build"
LIBRARY = BUILD / "libpolynya.so"


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    toolchains.require("cmake", "make", "c", "cpp")
    toolchains.run("cmake", "-S", ".", "-B", "build", cwd=FOLDER)
    toolchains.run("cmake", "--build", "build", "--parallel", "2", cwd=FOLDER)


def bot(name: str) -> list[str]:
    return [str(BUILD / f"{name}_c")]


def blocks(language: str) -> list[str]:
    """The code of the README in this language."""
    text = (FOLDER / "README.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("random"))


async def test_bot_thinks_on_the_opponents_time() -> None:
    record = await play({"ponder": bot("ponder"), "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_bot_of_the_readme_links_with_the_library_alone(tmp_path: Path) -> None:
    (source,) = blocks("c")
    (tmp_path / "my_bot.c").write_text(source)
    toolchains.run("cmake", "--install", BUILD, "--prefix", tmp_path, cwd=FOLDER)
    (library,) = tmp_path.glob("lib*/libpolynya.so")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    link = (f"-I{tmp_path}/include", "my_bot.c", library, f"-Wl,-rpath,{library.parent}")
    toolchains.run("cc", *strict, *link, "-o", "my_bot", cwd=tmp_path)
    mine = [str(tmp_path / "my_bot")]
    record = await play({"mine": mine, "random": bot("random")}, "icecult", turn_limit=20)

    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_language_that_calls_c_can_play(tmp_path: Path) -> None:
    (source,) = blocks("python")
    (tmp_path / "bound.py").write_text(source)
    bound = [sys.executable, str(tmp_path / "bound.py"), str(LIBRARY)]
    record = await play({"bound": bound, "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


def test_library_exports_its_interface_and_nothing_else() -> None:
    header = (FOLDER / "include" / "polynya.h").read_text("utf-8")
    declared = sorted(set(re.findall(r"POLYNYA_API .*?(polynya_\w+)\(", header)))
    lines = toolchains.run("nm", "-D", "--defined-only", LIBRARY, cwd=FOLDER).splitlines()
    names = sorted(line.split()[-1] for line in lines if " T " in line)

    assert declared == names
