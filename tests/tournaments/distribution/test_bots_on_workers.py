"""What bots may see on a worker's machine, and what the host learns of their processes there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes
from tests.tournaments.distribution.clusters import POLYNYA, Run, cluster, wait_until, write_cup

from polynya_common.process_report import ProcessReport
from polynya_contest.config.builtin_bots import builtin_command
from polynya_server.records import decode_replay
from polynya_store import Store

SDK = builtin_command("random").environment["PYTHONPATH"]
SPY = """
from pathlib import Path
for path in Path("paths").read_text().split():
    try:
        Path(path).open("rb").close()
    except OSError as error:
        print(path, error.strerror, flush=True)
    else:
        print(path, "was read", flush=True)
from polynya_client import run
run(lambda turn: [turn.legal[0]])
"""
ENDS_ONCE = """
import os
from polynya_client import run
def play(turn):
    try:
        open(os.environ["ENDED"], "x").close()
    except FileExistsError:
        return [turn.legal[0]]
    print("something is wrong", flush=True)
    os._exit(3)
run(play)
"""


def with_bot(name: str, ended: Path) -> str:
    """A third bot for a description, in a folder beside it."""
    return f"""
[[bots]]
name = "{name}"
command = [{sys.executable!r}, "bot.py"]
directory = "{name}"
environment = {{ PYTHONPATH = "{SDK}", ENDED = "{ended}" }}
"""


def write_bot(folder: Path, name: str, program: str) -> Path:
    (folder / name).mkdir(parents=True)
    (folder / name / "bot.py").write_text(program)
    return folder / name


def reports(database: Path, bot: str) -> Sequence[ProcessReport]:
    """What is recorded of a bot's processes, by match."""
    with Store.open(database) as store:
        return [row.report for row in store.processes.of_bot(bot, 100)]


@pytest.mark.parametrize(
    ("sandbox", "expected"),
    [("bubblewrap", "No such file or directory"), ("none", "was read")],
)
def test_bot_in_a_sandbox_sees_neither_the_home_of_a_worker_nor_the_database(
    tmp_path: Path, sandbox: str, expected: str
) -> None:
    require_sandboxes()
    home = tmp_path / "home"
    home.mkdir()
    (home / "key.txt").write_text("secret")
    secrets = [home / "key.txt", tmp_path / "cup.sqlite"]
    (write_bot(tmp_path, "spy", SPY) / "paths").write_text(" ".join(map(str, secrets)))
    cup = write_cup(tmp_path, 1, more=with_bot("spy", tmp_path / "ended"))
    cup.write_text(f'sandbox = {{ driver = "{sandbox}", paths = ["{SDK}"] }}\n{cup.read_text()}')
    with cluster(tmp_path) as found:
        found.start_worker("one", ["env", f"HOME={home}"])
        run = Run(cup, "--dask", found.address)
        assert run.code() == 0, run.said()
    seen = reports(tmp_path / "cup.sqlite", "spy")
    assert len(seen) == 4
    for report in seen:
        assert [f"{path} {expected}" for path in secrets] == report.last_lines[:2]
        assert report.sandbox.startswith(sandbox)


def test_end_of_a_process_on_a_worker_is_recorded_and_shown(tmp_path: Path) -> None:
    write_bot(tmp_path, "short", ENDS_ONCE)
    cup = write_cup(tmp_path, 1, more=with_bot("short", tmp_path / "ended"))
    run = Run(cup, "--dask", "local", "--workers", "1")
    assert run.code() == 0, run.said()
    database = tmp_path / "cup.sqlite"
    (ended,) = (report for report in reports(database, "short") if report.ended is not None)
    assert ended.code == 3
    assert ended.last_lines == ["something is wrong"]
    assert ended.last_received is None
    assert len(ended.cpu_ms) == 1
    assert "it sent no answer; processor time" in run.said()
    logs = ["bots", "logs", "short", "--database", str(database)]
    shown = subprocess.run([*POLYNYA, *logs], capture_output=True, check=True).stdout.decode()
    assert "ended by itself with exit code 3" in " ".join(shown.split())


def test_worker_without_the_sandbox_leaves_all_blocks_to_the_others(tmp_path: Path) -> None:
    require_sandboxes()
    write_bot(tmp_path, "cid", "from polynya_client import run\nrun(lambda turn: [turn.legal[0]])")
    cup = write_cup(tmp_path, 1, more=with_bot("cid", tmp_path / "ended"))
    cup.write_text(f'sandbox = {{ driver = "bubblewrap", paths = ["{SDK}"] }}\n{cup.read_text()}')
    cup.write_text(cup.read_text().replace("concurrency = 1", "concurrency = 2"))
    with cluster(tmp_path) as found:
        found.start_worker("poor", ["env", f"PATH={tmp_path}"])
        found.start_worker("rich")
        wait_until(
            lambda: all("Registered to" in found.log(name) for name in found.workers),
            "both workers are there",
        )
        run = Run(cup, "--dask", found.address)
        assert run.code() == 0, run.said()
    assert run.said().count("the others play without this worker") == 1
    [told] = re.findall(r"poor@\S+: [^;]*; the others play without this worker", run.said())
    assert "bubblewrap" in told
    with Store.open(tmp_path / "cup.sqlite") as store:
        played = [decode_replay(replay).worker for _, replay in store.matches.replays()]
    assert len([name for name in played if name and name.startswith("rich@")]) == 6


def test_large_bot_is_sent_without_a_warning(tmp_path: Path) -> None:
    folder = write_bot(
        tmp_path, "big", "from polynya_client import run\nrun(lambda t: [t.legal[0]])"
    )
    (folder / "weights").write_bytes(os.urandom(60 * 2**20))
    cup = write_cup(tmp_path, 1, more=with_bot("big", tmp_path / "ended"))
    run = Run(cup, "--dask", "local", "--workers", "1")
    assert run.code() == 0, run.said()
    assert "arning" not in run.said()
