"""``polynya new-bot``: every kit whose toolchain is here is built, and its bot plays a match."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients import matches, toolchains
from tests.clients.matches import HIDDEN_OR_JOINT

from polynya_app.application import BAD_ARGUMENTS, DONE, FAILED, run
from polynya_conformance.bot.bot_check import check_bot
from polynya_conformance.bot.scripted_match import Rules
from polynya_conformance.requirements import Verdict
from polynya_contest.config.builtin_bots import BotCommand
from polynya_games import load
from polynya_hosting.kits.templates import KITS, kit_of


@pytest.fixture(scope="module", params=KITS)
def new_bot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BotCommand]:
    """The bot of a new kit for Ice Cult, built in its folder, which is the current one."""
    kit = kit_of(request.param, "my_bot")
    toolchains.require(*kit.needs)
    folder = tmp_path_factory.mktemp(request.param) / "my_bot"
    assert run(["new-bot", "--lang", request.param, "--game", "icecult", str(folder)]) == DONE
    for line in kit.build:
        toolchains.run(*shlex.split(line), cwd=folder)
    with contextlib.chdir(folder):
        yield BotCommand(tuple(shlex.split(kit.run)), {}, str(folder))


@pytest.mark.parametrize(("game", "options"), [("icecult", {"turn_limit": 20}), *HIDDEN_OR_JOINT])
async def test_new_bot_builds_and_plays_a_match(
    new_bot: BotCommand, game: str, options: dict[str, int]
) -> None:
    # The server of this test asks no bot for its games.
    record = await matches.play({"one": new_bot.words, "two": new_bot.words}, game, **options)

    assert (record.reason, matches.forfeits(record)) == ("finished", [])


@pytest.mark.parametrize("game", ["icecult", "goofspiel"])
async def test_new_bot_meets_every_requirement(new_bot: BotCommand, game: str) -> None:
    rules = Rules(load(game), players=2, move_ms=10_000)
    findings = await check_bot(new_bot, rules, start_s=60)

    assert [finding for finding in findings if finding.verdict is Verdict.FAIL] == []


def test_readme_of_a_new_bot_says_how_it_is_built(tmp_path: Path) -> None:
    assert run(["new-bot", "--lang", "rust", "--game", "arktia", str(tmp_path / "ada")]) == DONE

    readme = (tmp_path / "ada" / "README.md").read_text()
    assert readme.startswith("# ada\n")
    assert "\n$ cargo build --release\n" in readme
    assert '\n$ polynya check --bot "target/release/bot" --game arktia\n' in readme


def test_readme_of_a_new_bot_says_what_it_needs(tmp_path: Path) -> None:
    assert run(["new-bot", "--lang", "cpp", str(tmp_path / "ada")]) == DONE

    readme = (tmp_path / "ada" / "README.md").read_text()
    assert "\n- CMake 3.21 or newer (on Debian: apt install cmake)\n" in readme
    assert "\nIt builds without a network.\n" in readme


def test_kit_for_cpp_brings_its_dependency_and_the_licence(tmp_path: Path) -> None:
    assert run(["new-bot", "--lang", "cpp", str(tmp_path / "ada")]) == DONE

    brought = tmp_path / "ada" / "sdk" / "third_party" / "nlohmann"
    assert {"json.hpp", "LICENSE.MIT"} <= {path.name for path in brought.iterdir()}


def test_missing_tools_are_named_and_the_kit_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["new-bot", "--lang", "typescript", str(tmp_path / "ada")]) == DONE

    said = capsys.readouterr().out.splitlines()
    assert said[1].startswith("It needs Node 20 or newer and npm. ")
    assert said[-2:] == [
        "Missing here: Node 20 or newer (https://nodejs.org).",
        "Missing here: npm (https://nodejs.org).",
    ]
    assert (tmp_path / "ada" / "bot.ts").is_file()


def test_the_match_that_comes_next_is_called_by_a_path_where_the_shell_has_no_polynya(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [".venv/bin/polynya", "new-bot"])
    assert run(["new-bot", "--lang", "rust", str(tmp_path / "ada")]) == DONE

    polynya = Path.cwd() / ".venv" / "bin" / "polynya"
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert f'{polynya} match "target/release/bot" greedy --game packeis' in said


def test_no_placeholder_is_left_in_any_kit(tmp_path: Path) -> None:
    for language in KITS:
        run(["new-bot", "--lang", language, str(tmp_path / language)])

    words = ("@NAME@", "@GAME@", "@NEEDS@", "@BUILD@", "@RUN@")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    left = [path for path in files if any(word in path.read_text() for word in words)]
    assert left == []


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("precious")

    assert run(["new-bot", str(tmp_path)]) == FAILED
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert capsys.readouterr().err == (
        f"polynya: {tmp_path} is there already, and not empty: nothing is overwritten\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--lang", "cobol"], "there is no kit for 'cobol'; there are python, typescript, rust,"),
        (["--game", "chess"], "chess"),
    ],
)
def test_unknown_game_or_language_is_refused(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new-bot", *arguments, str(tmp_path / "my_bot")]) == BAD_ARGUMENTS
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "my_bot").exists()


def test_name_that_no_bot_can_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new-bot", str(tmp_path / "my bot")]) == BAD_ARGUMENTS
    assert "named after its folder" in capsys.readouterr().err
