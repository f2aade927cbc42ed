"""Building uploads in a real sandbox: what is built, what is said, and what is contained."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes

from polynya_tournaments.config.sandbox_settings import SandboxLimits, SandboxSettings
from polynya_tournaments.sandbox.selection import sandbox_of
from polynya_tournaments.uploads.building.build import Build, BuildLimits, Built, first_error
from polynya_tournaments.uploads.manifest import Manifest

LIMITS = SandboxLimits(memory_mb=256, processes=32, cpu_s=10, file_mb=16, space_mb=16)


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    require_sandboxes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "program"
    made.mkdir()
    return made


async def built(folder: Path, *commands: str, limits: BuildLimits | None = None) -> Built:
    manifest = Manifest(
        name="fish", version="1", language="sh", build=commands, run="./bot", games=("packeis",)
    )
    settings = SandboxSettings(sandbox="bubblewrap", limits=LIMITS)
    return await Build(folder, manifest, sandbox_of(settings), limits or BuildLimits()).run()


async def test_commands_run_one_after_the_other_and_write_into_the_folder(folder: Path) -> None:
    (folder / "source").write_text("echo hello")

    done = await built(folder, "cp source bot", "chmod 700 bot")

    assert done == Built("$ cp source bot\n$ chmod 700 bot", None)
    assert (folder / "bot").read_text() == "echo hello"


async def test_what_was_built_is_ours_and_may_be_read_by_all(folder: Path) -> None:
    await built(folder, "mkdir -m 700 out", "touch out/bot", "chmod 4700 out/bot")

    found = (folder / "out" / "bot").stat()
    assert (found.st_uid, stat.S_IMODE(found.st_mode)) == (os.geteuid(), 0o755)
    assert stat.S_IMODE((folder / "out").stat().st_mode) == 0o755


async def test_the_first_command_that_fails_ends_it_with_its_error(folder: Path) -> None:
    script = "echo compiling; echo 'bot.c:3: error: no such thing as fish' >&2; exit 2"

    done = await built(folder, f'sh -c "{script}"', "touch later")

    assert done.failure == (
        "build[0] ended by itself with exit code 2: bot.c:3: error: no such thing as fish"
    )
    assert done.log.splitlines()[1:] == ["compiling", "bot.c:3: error: no such thing as fish"]
    assert not (folder / "later").exists()


async def test_a_program_that_is_missing_is_said(folder: Path) -> None:
    done = await built(folder, "no-such-compiler --version")

    assert done.failure is not None
    assert done.failure.startswith("build[0] cannot be started: no-such-compiler --version")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("sleep 100", "takes longer than 1 s"),
        ("sh -c 'while :; do :; done'", "takes longer than 1 s"),
        ("sh -c 'sleep 100 & setsid sleep 100 & wait'", "takes longer than 1 s"),
    ],
)
async def test_a_build_without_an_end_is_ended(command: str, sentence: str, folder: Path) -> None:
    done = await built(folder, command, limits=BuildLimits(wall_s=1))

    assert done.failure is not None
    assert sentence in done.failure


async def test_a_build_that_fills_its_folder_is_ended(folder: Path) -> None:
    fill = "sh -c 'i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done'"

    done = await built(folder, fill, limits=BuildLimits(folder_bytes=20 * 2**20))

    assert done.failure is not None
    assert "filled its folder with more than" in done.failure


async def test_a_build_that_makes_files_without_end_is_ended(folder: Path) -> None:
    fill = "sh -c 'i=0; while :; do : > f$i; i=$((i+1)); done'"

    done = await built(folder, fill, limits=BuildLimits(folder_entries=1_000))

    assert done.failure == "build[0] made more than 1,000 files"


@pytest.mark.parametrize(
    "command",
    [
        "cat {secret}",
        "cp {secret} stolen",
        "ln {secret} stolen",
        "cc -x c -include {secret} -c /dev/null -o stolen",
        "sh -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'",
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)'",
    ],
)
async def test_a_build_reaches_nothing_but_its_folder(
    command: str, folder: Path, tmp_path: Path, listening_port: int
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")
    filled = command.replace("{secret}", str(secret)).replace("{beside}", str(tmp_path))

    done = await built(folder, filled.replace("{port}", str(listening_port)))

    assert done.failure is not None
    assert "the contest's key" not in done.log
    assert secret.read_text() == "the contest's key"
    assert {path.name for path in tmp_path.iterdir()} == {"program", "secret"}
    assert not (folder / "stolen").exists()


@pytest.mark.parametrize("command", ["sh -c 'echo x >> {secret}'", "touch {beside}/new"])
async def test_what_a_build_writes_elsewhere_is_gone(
    command: str, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")

    await built(folder, command.format(secret=secret, beside=tmp_path))

    assert secret.read_text() == "the contest's key"
    assert {path.name for path in tmp_path.iterdir()} == {"program", "secret"}


async def test_a_link_to_a_file_outside_shows_nothing_of_it(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the contest's key")
    secret.chmod(0o600)

    done = await built(folder, f"ln -s {secret} bot", "cat bot")

    assert done.failure is not None
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


async def test_a_pipe_that_was_made_is_removed(folder: Path) -> None:
    await built(folder, "mkfifo pipe")

    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], ""),
        (["", "make: nothing to be done", " "], "make: nothing to be done"),
        (["warning: x", "a.rs:1: error[E0308]: mismatched", "error: aborting"], "a.rs:1: error"),
        (["ld: undefined reference to `main'", "exit"], "ld: undefined reference"),
        (["\x1b[31merror\x1b[0m: here"], "?[31merror?[0m: here"),
    ],
)
def test_the_line_that_says_what_was_wrong(lines: list[str], said: str) -> None:
    assert first_error(lines).startswith(said)
