"""The C library: its bots, the bot of its README, and a bot in a language that only calls C."""

from __future__ import annotations

import json
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


TELLS_OF_JOINT_TURNS = """
#include <polynya.h>
#include <stdio.h>

static int tell(void *user, polynya_match *match) {
  (void)user;
  fprintf(stderr, "mine: %d %d, acting %d %d %d\\n", polynya_match_is_view(match),
          polynya_match_is_joint(match), polynya_match_is_acting(match, 0),
          polynya_match_is_acting(match, 1), polynya_match_is_acting(match, 9));
  return POLYNYA_OK;
}
static int choose(void *user, polynya_turn *turn) {
  tell(user, polynya_turn_match(turn));
  return polynya_turn_play(turn, "[[\\"bid\\",2]]");
}
static int moved(void *user, polynya_match *match, const char *message) {
  fprintf(stderr, "mine: moved %s\\n", message);
  return tell(user, match);
}

int main(void) {
  polynya_bot bot;
  polynya_settings settings;
  polynya_bot_init(&bot);
  polynya_settings_init(&settings);
  bot.turn = choose;
  bot.match_start = tell;
  bot.moved = moved;
  return polynya_run(&bot, &settings);
}
"""


def test_program_is_told_of_joint_turns_and_hidden_parts(
    scripted_server: Any, tmp_path: Path
) -> None:
    moved = {"match": "m1", "turn": 1, "elapsed_ms": 3, "remaining_ms": [None, None]}
    command = compiled(TELLS_OF_JOINT_TURNS, tmp_path)
    with program_checks.start(command, scripted_server) as program:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match(state={"hand": [2]}, acting=[0, 1], view=True, joint=True)
        peer.ask()
        assert peer.receive()["steps"] == [["bid", 2]]
        last = {"steps": None, "acting": [1], "seen": [{"lost_to": 7}]}
        peer.send({"type": "moved", "seq": 2, "seat": 0, **moved, **last})
        peer.send({"type": "match_over", "match": "m1", "seq": 3, "reason": "aborted"})
        peer.begin_match(match="m2")
        peer.send({"type": "goodbye", "reason": "finished"})
        _, errors = program.communicate(timeout=120)

    lines = [line.removeprefix("mine: ") for line in errors.splitlines() if "mine: " in line]
    (told,) = (line for line in lines if line.startswith("moved"))
    assert json.loads(told.removeprefix("moved ")) == {
        "type": "moved", "seq": 2, "seat": 0, **moved, **last
    }  # fmt: skip
    assert [line for line in lines if line != told] == [
        "1 1, acting 1 1 0",
        "1 1, acting 1 1 0",
        "1 1, acting 0 1 0",
        "0 0, acting 0 0 0",
    ]


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
