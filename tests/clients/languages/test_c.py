"""The C library: its bots, the bot of its README, and a bot in a language that only calls C."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

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


def compiled(source: str, folder: Path) -> list[str]:
    """The command of a bot that is compiled and linked with the installed library."""
    (folder / "my_bot.c").write_text(source)
    toolchains.run("cmake", "--install", BUILD, "--prefix", folder, cwd=FOLDER)
    (library,) = folder.glob("lib*/libpolynya.so")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    link = (f"-I{folder}/include", "my_bot.c", library, f"-Wl,-rpath,{library.parent}")
    toolchains.run("cc", *strict, *link, "-o", "my_bot", cwd=folder)
    return [str(folder / "my_bot")]


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("random"))


async def test_bot_thinks_on_the_opponents_time() -> None:
    record = await play({"ponder": bot("ponder"), "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


TELLS_OF_SESSIONS = """
#include <polynya.h>
#include <stdio.h>

static int choose(void *user, polynya_turn *turn) {
  (void)user;
  return polynya_turn_choose(turn, 0);
}
static int connected(void *user, const char *name) {
  fprintf(stderr, "%s: connected %s\\n", (const char *)user, name);
  return POLYNYA_OK;
}
static int disconnected(void *user, const char *reason) {
  fprintf(stderr, "%s: disconnected %s\\n", (const char *)user, reason);
  return POLYNYA_OK;
}

int main(void) {
  polynya_bot bot;
  polynya_settings settings;
  polynya_bot_init(&bot);
  polynya_settings_init(&settings);
  settings.games = "packeis, icecult,";
  bot.user = "mine";
  bot.turn = choose;
  bot.connected = connected;
  bot.disconnected = disconnected;
  return polynya_run(&bot, &settings);
}
"""


def test_program_tells_games_and_is_told_of_sessions(scripted_server: Any, tmp_path: Path) -> None:
    with program_checks.start(compiled(TELLS_OF_SESSIONS, tmp_path), scripted_server) as program:
        peer = scripted_server.accept()
        hello = peer.welcome()
        peer.send({"type": "goodbye", "reason": "finished"})
        _, errors = program.communicate(timeout=120)

    lines = [line for line in errors.splitlines() if line.startswith("mine: ")]
    assert lines == ["mine: connected ada", "mine: disconnected finished"]
    assert hello["games"] == ["packeis", "icecult"]


async def test_program_with_the_bot_of_the_first_version_plays(tmp_path: Path) -> None:
    (source,) = blocks("c")
    before = source.replace("polynya_bot_init(&bot)", "(polynya_bot_init)(&bot)")
    mine = compiled(before, tmp_path)
    record = await play({"mine": mine, "random": bot("random")}, "packeis")

    assert before != source
    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_bot_of_the_readme_links_with_the_library_alone(tmp_path: Path) -> None:
    (source,) = blocks("c")
    mine = compiled(source, tmp_path)
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
