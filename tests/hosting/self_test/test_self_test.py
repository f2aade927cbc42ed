"""``polynya doctor --sandbox``: a hostile program in each sandbox, and what it could do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.hosting.sandbox.boxes import needs_groups

from polynya_app.application import run
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_hosting.self_test.sandbox_self_test import SUBJECTS, self_test

OF_BOTS = (
    "files, environment, processes, signals, limits, priorities, cores, shared memory, network, "
    "names, memory, forks, disk"
)
ALL = f"{OF_BOTS}, builds"


@needs_groups
def test_bubblewrap_contains_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--sandbox"]) == 0
    assert f"bubblewrap: contains {ALL}\n" in capsys.readouterr().out


def test_landlock_contains_all_but_builds_where_no_namespaces_can_be_made(tmp_path: Path) -> None:
    pytest.importorskip("sandlock")
    settings = tmp_path / "cup.toml"
    settings.write_text('[sandbox]\ndriver = "landlock"\n')
    polynya = Path(sys.executable).with_name("polynya")
    doctor = f"{polynya} doctor {settings} --sandbox"
    forbidden = f"echo 0 > /proc/sys/user/max_user_namespaces && exec {doctor}"
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", forbidden]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    landlock, bubblewrap = done.stdout.splitlines()
    builds = r"builds \(it wrote 32 MiB into \S+/build, in files that it had unlinked\)"
    assert re.fullmatch(f"landlock: contains {OF_BOTS}; does not contain {builds}", landlock)
    assert bubblewrap.startswith("bubblewrap: does not work here: ")
    assert done.returncode == 0


async def test_program_in_no_sandbox_can_do_all_of_it() -> None:
    found = await self_test(SandboxSettings(driver="none"))
    assert [subject for subject in SUBJECTS if not found.escapes[subject]] == []
    assert not found.contains_all


def test_command_that_contains_less_is_told_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    require("firejail")
    command = "firejail --quiet --noprofile --net=none -- {guard} {command}"
    assert run(["doctor", "--sandbox-command", command]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("command: contains ")
    assert "does not contain files (it " in first
    assert "cores (it chose its cores itself)" in first


@needs_groups
def test_sandbox_of_a_description_is_the_configured_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "cup.toml"
    settings.write_text('[sandbox]\ndriver = "command"\ncommand = ["env", "{command}"]\n')
    assert run(["doctor", str(settings), "--sandbox", "--json"]) == 1
    [configured, other, _] = json.loads(capsys.readouterr().out)
    assert (configured["sandbox"], configured["contains_all"]) == ("command", False)
    assert (other["sandbox"], other["contains_all"]) == ("bubblewrap", True)


def test_machine_without_bubblewrap_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["doctor", "--sandbox"]) == 1
    assert "bubblewrap: does not work here: there is no program bwrap" in capsys.readouterr().out
