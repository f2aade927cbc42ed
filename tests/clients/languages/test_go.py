"""The Go SDK: built, its own tests, and its bots in matches on the real server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play

FOLDER = toolchains.CLIENTS / "go"


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    toolchains.require("go")
    toolchains.run("go", "build", "-o", "bin/", "./examples/...", cwd=FOLDER)


def bot(name: str) -> list[str]:
    return [str(FOLDER / "bin" / name)]


def test_unit_tests_and_shared_vectors() -> None:
    toolchains.run("go", "test", "-count=1", "./...", cwd=FOLDER)


def test_sources_are_formatted_and_vetted() -> None:
    toolchains.require("gofmt")
    toolchains.run("go", "vet", "./...", cwd=FOLDER)
    assert toolchains.run("gofmt", "-l", ".", cwd=FOLDER) == ""


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("greedy"))


async def test_bot_of_the_readme_is_a_module_of_its_own(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    (source,) = re.findall(r"```go\n(.*?)```", text, re.DOTALL)
    (tmp_path / "main.go").write_text(source)
    toolchains.run("go", "mod", "init", "my_bot", cwd=tmp_path)
    (module,) = re.findall(r"^module (\S+)$", (FOLDER / "go.mod").read_text("utf-8"), re.MULTILINE)
    replaced = ("-require", f"{module}@v0.0.0", "-replace", f"{module}={FOLDER}")
    toolchains.run("go", "mod", "edit", *replaced, cwd=tmp_path)
    toolchains.run("go", "mod", "tidy", cwd=tmp_path)
    toolchains.run("go", "build", cwd=tmp_path)
    record = await play({"mine": [str(tmp_path / "my_bot")], "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])
