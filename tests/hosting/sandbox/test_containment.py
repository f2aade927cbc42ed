"""Before a run a sandbox proves that it contains: one that only seems to is refused."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.hosting.sandbox.boxes import FIREJAIL, SETTINGS

from polynya_common.errors import ConfigurationError
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_hosting.bots.sandboxed_bots import working_sandbox
from polynya_hosting.sandbox.containment import rights_here
from polynya_hosting.sandbox.selection import sandbox_of

POLYNYA = str(Path(sys.executable).with_name("polynya"))
MATCH = (POLYNYA, "match", "greedy", "random", "--games", "2", "--move-ms", "5000")
NOT_CONTAINED = "does not contain a program: "
WRITES = """import pathlib
pathlib.Path("written").write_text("all rights")
"""


@pytest.mark.parametrize("driver", SETTINGS)
async def test_sandbox_that_contains_is_taken(driver: str) -> None:
    require("firejail")
    if driver == "landlock":
        pytest.importorskip("sandlock")
    await working_sandbox(SETTINGS[driver])


@pytest.mark.parametrize("driver", SETTINGS)
def test_rights_of_the_host_are_a_flaw_in_each_sandbox(driver: str) -> None:
    if driver == "landlock":
        pytest.importorskip("sandlock")
    assert sandbox_of(SETTINGS[driver]).flaw(rights_here()) != ""


@pytest.mark.parametrize(
    "command",
    [
        ("env", "{command}"),
        ("env", "{guard}", "{command}"),
        ("nice", "{command}"),
        ("setpriv", "--no-new-privs", "{guard}", "{command}"),
        ("sh", "-c", 'exec "$@"', "sh", "{command}"),
    ],
    ids=shlex.join,
)
async def test_command_that_encloses_nothing_is_refused(command: Sequence[str]) -> None:
    with pytest.raises(ConfigurationError, match=NOT_CONTAINED):
        await working_sandbox(SandboxSettings(driver="command", command=tuple(command)))


async def test_command_in_which_the_probe_cannot_run_is_refused() -> None:
    settings = SandboxSettings(driver="command", command=("true", "{command}"))
    with pytest.raises(ConfigurationError, match="does not work on this machine"):
        await working_sandbox(settings)


@pytest.mark.parametrize(
    "outer",
    [
        ("firejail", "--quiet", "--noprofile", "--net=none", "--"),
        ("bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--"),
    ],
    ids=["in firejail", "in bubblewrap"],
)
def test_firejail_within_another_sandbox_plays_no_match(outer: Sequence[str], folder: Path) -> None:
    require("firejail")
    (folder / "bot.py").write_text(WRITES)
    bot = f"{sys.executable} {folder}/bot.py"
    words = [POLYNYA, "match", "greedy", bot, "--sandbox", "command", "--sandbox-command"]
    done = subprocess.run(
        [*outer, *words, shlex.join(FIREJAIL)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, NOT_CONTAINED in done.stderr) == (2, True), done.stderr
    assert not (folder / "written").exists()


def test_bubblewrap_that_only_starts_its_program_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    version = '[ "$1" = --version ] && exec echo bubblewrap 0.8.0'
    lines = ("#!/bin/bash", version, 'while [ "$1" != -- ]; do shift; done', "shift", 'exec "$@"')
    fake.write_text("\n".join(lines))
    fake.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", *MATCH, "--sandbox", "bubblewrap"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert f"{NOT_CONTAINED}it shares these namespaces with the host: user, mnt" in said


def test_command_without_the_guard_plays_a_match() -> None:
    require("firejail")
    command = "firejail --quiet --noprofile --read-only=/ -- {command}"
    done = subprocess.run(
        [*MATCH, "--sandbox", "command", "--sandbox-command", command, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, '"played":2' in done.stdout.replace(" ", "")) == (0, True), done
