"""Matches of bots in sandboxes: played as elsewhere, and refused before anything starts."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.hosting.sandbox.boxes import FIREJAIL
from tests.hosting.sandbox.boxes import run as run_in_box

from polynya_app.application import run
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxLimits
from polynya_evidence.reports.contents import report_of
from polynya_evidence.reports.evidence import evidence_of
from polynya_evidence.reports.tables import sandbox_sentence
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.cores import usable_cores
from polynya_hosting.sandbox.bubblewrap import Bubblewrap
from polynya_server.records import TurnRecord, decode_replay
from polynya_store import Store


def match(*words: str) -> int:
    return run(["match", *words, "--games", "2", "--move-ms", "5000", "--json"])


def test_bots_in_bubblewrap_play_a_match_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert match("greedy", "random", "--sandbox", "bubblewrap") == 0
    assert json.loads(capsys.readouterr().out)["played"] == 2


def test_bots_in_a_command_of_the_host_play_a_match_to_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    require("firejail")
    command = " ".join(FIREJAIL)
    assert match("greedy", "random", "--sandbox", "command", "--sandbox-command", command) == 0
    assert json.loads(capsys.readouterr().out)["played"] == 2


@pytest.mark.parametrize("driver", ["bubblewrap", "landlock"])
def test_arrival_times_in_a_sandbox_are_the_kernels(driver: str, tmp_path: Path) -> None:
    if driver == "landlock":
        pytest.importorskip("sandlock")
    database = tmp_path / "match.sqlite"
    assert match("greedy", "random", "--sandbox", driver, "--database", str(database)) == 0
    with Store.open(database) as store:
        records = [decode_replay(document) for _, document in store.matches.replays()]
    turns = [event for record in records for event in record.events]
    assert len(turns) > 20
    assert [turn for turn in turns if not (isinstance(turn, TurnRecord) and turn.kernel)] == []


def test_sandbox_is_in_records_and_report(tmp_path: Path) -> None:
    database = tmp_path / "match.sqlite"
    assert match("greedy", "random", "--sandbox", "bubblewrap", "--database", str(database)) == 0
    with Store.open(database) as store:
        records = [decode_replay(document) for _, document in store.matches.replays()]
        report = report_of(evidence_of(store, store.tournaments.all()[0].name))
    pinned = ", pinned" if usable_cores() >= 2 else ""
    title = f"{Bubblewrap([], SandboxLimits()).title}: 512 MiB, 64 processes, 1 core{pinned}"
    assert [record.setup.sandboxes for record in records] == [(title, title)] * 2
    assert report.sandboxes == {"greedy": (title,), "random": (title,)}
    assert sandbox_sentence(report) == f"Bots that the host started ran in {title}."
    assert all(record.machine is None or 0 <= record.machine.busy <= 1 for record in records)


async def test_bot_may_open_its_standard_streams_by_name(folder: Path) -> None:
    ran = await run_in_box(
        folder, "open('/dev/stdout', 'w').write('one\\n')\nopen('/dev/stderr', 'w').write('two')"
    )
    assert ran.lines == ["one", "two"]


async def test_python_that_is_reached_by_a_link_elsewhere_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "links" / "python3"
    link.parent.mkdir()
    link.symlink_to(Path(sys.executable).resolve())
    monkeypatch.setattr(sys, "executable", str(link))
    ran = await run_in_box(folder, "print('one')")
    assert ran.lines == ["one"]


async def test_bot_imports_the_sdk_and_the_rules_from_a_checkout(folder: Path) -> None:
    ran = await run_in_box(folder, "import polynya_client, polynya_games; print('both')")
    assert ran.lines == ["both"]


async def test_command_that_names_no_file_sees_its_working_directory(folder: Path) -> None:
    (folder / "data").write_text("mine")
    command = BotCommand(("sh", "-c", "cat data"), {}, str(folder))
    log = BotLog(None)
    await run_bot("bot", command, {}, log, sandbox=Bubblewrap([], SandboxLimits()))
    assert log.last_lines() == ["mine"]


async def test_program_of_another_language_finds_its_libraries(folder: Path) -> None:
    program = "import subprocess, sys; sys.exit(subprocess.call(['perl', '-MPOSIX', '-e', '1']))"
    assert (await run_in_box(folder, program)).end.code == 0


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a match says that cannot be begun."""
    assert match(*words) == 2
    return capsys.readouterr().err


def test_match_without_bubblewrap_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt install bubblewrap" in refusal(
        capsys, "greedy", "random", "--sandbox", "bubblewrap"
    )


def test_bot_whose_program_the_sandbox_does_not_show_is_refused(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    shutil.copy(shutil.which("true") or "", hidden / "interpreter")
    monkeypatch.setenv("PATH", f"{hidden}:{os.environ['PATH']}")
    (folder / "bot.x").write_text("")
    words = ("greedy", f"interpreter {folder}/bot.x", "--sandbox", "bubblewrap")
    assert "does not show the program of interpreter" in refusal(capsys, *words)


def test_bot_whose_file_its_user_may_not_read_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = folder / "bot.py"
    bot.write_text("")
    bot.chmod(0)
    said = refusal(capsys, "greedy", f"{sys.executable} {bot}", "--sandbox", "bubblewrap")
    assert "cannot be read in the sandbox" in said


def test_bot_beside_the_contests_database_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, database = folder / "bot.py", folder / "contest.sqlite"
    bot.write_text("")
    words = ("greedy", f"{sys.executable} {bot}", "--sandbox", "bubblewrap")
    assert "the contest's database" in refusal(capsys, *words, "--database", str(database))


def test_sandbox_that_the_machine_cannot_make_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    said = refusal(capsys, "greedy", "random", "--sandbox", "bubblewrap")
    assert "does not work on this machine: bwrap: No permissions to create new namespace" in said
