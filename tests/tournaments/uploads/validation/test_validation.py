"""Validation of uploads: which versions count, and the sentence for those that do not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.clients.toolchains import require_sandboxes

from polynya_common.reasons import Reason, render
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.kits.templates import write_kit
from polynya_protocol.messages import Clock
from polynya_server import decode_replay
from polynya_tournaments.uploads.archives.manifest import Manifest, read_manifest
from polynya_tournaments.uploads.validation.validation_matches import Validation, validate

SDK = dict(builtin_command("random").environment)
CONTEST = TournamentConfiguration(
    name="contest", game="packeis", bots=[], clock=Clock(move_ms=2_000), start_ms=2_000
)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with the starter kit's bot, called fish."""
    write_kit("python", "packeis", tmp_path / "fish")
    return tmp_path / "fish"


async def validated(
    program: Path, *command: str, contest: TournamentConfiguration = CONTEST
) -> Validation:
    manifest: Manifest = read_manifest(program)
    bot = BotConfiguration(
        name="fish",
        command=[*(command or (sys.executable, "bot.py"))],
        directory=str(program),
        folder=str(program),
        environment=SDK,
    )
    return await validate(bot, manifest, contest)


async def test_a_version_that_plays_to_the_end_is_good(program: Path) -> None:
    played = await validated(program)

    assert played.failure is None
    assert played.replay is not None
    assert decode_replay(played.replay).reason == "finished"


async def test_it_plays_each_game_that_it_declares(program: Path) -> None:
    manifest = program / "polynya.toml"
    manifest.write_text(manifest.read_text().replace('["packeis"]', '["packeis", "icecult"]'))

    played = await validated(program)

    assert played.failure is not None
    assert str(played.failure) == "icecult: it does not play icecult: its hello names packeis"


async def test_a_bot_that_crashes_is_refused_with_its_match_and_its_log(program: Path) -> None:
    code = program / "bot.py"
    code.write_text(code.read_text().replace("return steps", 'raise KeyError("pond")'))

    played = await validated(program)

    assert played.failure is not None
    assert str(played.failure).startswith("packeis: it forfeited by disconnected: fish")
    assert "KeyError: 'pond'" in played.log
    assert played.replay is not None
    assert decode_replay(played.replay).reason == "forfeit"


async def test_a_bot_that_leaks_memory_is_refused_with_the_limit_that_it_met(program: Path) -> None:
    require_sandboxes()
    code = program / "bot.py"
    leak = "kept.append(bytearray(b'fish' * 10_000_000)); return steps"
    text = code.read_text().replace("return steps", leak)
    code.write_text(text.replace("import random", "import random\nkept = []"))
    contest = replace(
        CONTEST,
        sandbox=SandboxSettings(
            driver="bubblewrap",
            paths=(SDK["PYTHONPATH"],),
            limits=SandboxLimits(memory_mb=100),
        ),
    )

    played = await validated(program, contest=contest)

    assert played.failure is not None
    assert str(played.failure).startswith("packeis: it forfeited by disconnected: ")
    assert "; it was ended by signal 9 " in str(played.failure)
    assert "100 MiB of memory used up" in str(played.failure)
    assert isinstance(played.failure, Reason)
    assert "; er wurde durch das Signal 9 " in render(played.failure, "de")


async def test_a_bot_without_the_time_to_move_is_refused(program: Path) -> None:
    code = program / "bot.py"
    code.write_text(code.read_text().replace("return steps", "while True: pass"))

    played = await validated(program, contest=replace(CONTEST, clock=Clock(move_ms=50)))

    assert played.failure is not None
    assert str(played.failure).startswith("packeis: it forfeited by timeout: ")


async def test_a_command_that_names_a_file_outside_is_refused(
    program: Path, tmp_path: Path
) -> None:
    require_sandboxes()
    outside = tmp_path / "outside"
    outside.write_text("#!/bin/sh\necho runs\n")
    outside.chmod(0o755)
    contest = replace(CONTEST, sandbox=SandboxSettings(driver="bubblewrap"))

    for command in (str(outside), "../outside"):
        played = await validated(program, command, contest=contest)

        assert played.failure is not None
        assert str(played.failure).startswith("packeis: run: its program cannot be started here")
        assert "runs" not in played.log


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["false"], "packeis: it ended by itself with exit code 1"),
        (["./nothing"], "packeis: it cannot be started"),
        (["sleep", "100"], "packeis: it did not connect within 2 s"),
    ],
)
async def test_a_program_that_does_not_connect_is_refused(
    command: list[str], sentence: str, program: Path
) -> None:
    played = await validated(program, *command)

    assert played.failure is not None
    assert str(played.failure).startswith(sentence)
