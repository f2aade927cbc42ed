"""The TypeScript SDK: built, its own tests, and its bots in matches on the real server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play

FOLDER = toolchains.CLIENTS / "typescript"
EXAMPLES = FOLDER / "dist" / "examples"
TOOLS = Path(__file__).parent / "typescript_tools"
"""ESLint and TypeDoc: they need an older TypeScript than the SDK is compiled with."""


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    toolchains.require("node", "npm")
    install(FOLDER)
    toolchains.run("npm", "run", "build", cwd=FOLDER)


@pytest.fixture(scope="module")
def tools() -> Path:
    """The folder of the programs that check the sources."""
    install(TOOLS)
    return TOOLS / "node_modules" / ".bin"


def install(folder: Path) -> None:
    """Install what the lock file of a package names, unless it is there."""
    installed = folder / "node_modules" / ".package-lock.json"
    if not toolchains.newer(installed, [folder / "package-lock.json"]):
        toolchains.run("npm", "ci", "--no-audit", "--no-fund", cwd=folder)


def bot(name: str) -> list[str]:
    return ["node", str(EXAMPLES / f"{name}.js")]


def test_unit_tests_and_shared_vectors() -> None:
    assert "# fail 0" in toolchains.run("npm", "test", cwd=FOLDER)


def test_sources_are_formatted() -> None:
    toolchains.run("npm", "run", "lint", cwd=FOLDER)


def test_sources_and_examples_are_clean_for_eslint(tools: Path) -> None:
    rules = ("--config", TOOLS / "eslint.config.js", "--max-warnings", "0")
    toolchains.run(tools / "eslint", *rules, "src", "examples", cwd=FOLDER)


def test_documentation_builds_without_a_warning(tools: Path, tmp_path: Path) -> None:
    options = ("--options", TOOLS / "typedoc.json", "--out", tmp_path)
    toolchains.run(tools / "typedoc", *options, cwd=FOLDER)


TYPED_BOT = """
import { run, type ArktiaState, type ArktiaStep, type Turn } from "polynya-client";

function choose(turn: Turn<ArktiaState>): ArktiaStep[] {
  return turn.state.phase === "main" ? [["retire"]] : [["place", "G", turn.state.to_move ?? 0]];
}

await run(choose, { name: "typed" });
"""
WITHOUT_TYPES_OF_NODE = """
{"compilerOptions": {"strict": true, "module": "nodenext", "target": "es2023", "types": [],
  "lib": ["es2023", "dom"], "noEmit": true, "preserveSymlinks": true}, "files": ["bot.ts"]}
"""


def test_types_of_positions_and_steps_need_no_types_of_node(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "tsconfig.json").write_text(WITHOUT_TYPES_OF_NODE)
    (tmp_path / "bot.ts").write_text(TYPED_BOT)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "polynya-client").symlink_to(FOLDER)
    compiler = str(FOLDER / "node_modules" / ".bin" / "tsc")
    toolchains.run(compiler, "-p", ".", cwd=tmp_path)

    (tmp_path / "bot.ts").write_text(TYPED_BOT.replace('"main"', '"middle"'))
    with pytest.raises(AssertionError, match="no overlap"):
        toolchains.run(compiler, "-p", ".", cwd=tmp_path)


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("greedy"))


async def test_bot_that_computes_in_a_worker_plays_a_whole_match() -> None:
    record = await play({"worker": bot("worker"), "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_bot_of_the_readme_is_a_program_of_its_own(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    (source,) = re.findall(r"```javascript\n(.*?)```", text, re.DOTALL)
    (tmp_path / "my_bot.mjs").write_text(source)
    packages = tmp_path / "node_modules"
    packages.mkdir()
    (packages / "polynya-client").symlink_to(FOLDER)  # as npm installs a folder
    mine = ["node", str(tmp_path / "my_bot.mjs")]
    record = await play({"mine": mine, "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])
