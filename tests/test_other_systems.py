"""What only some systems have is not needed: server, bots and the SDK play without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "clients" / "python" / "examples"

WITHOUT = """
import os, select, signal, subprocess, sys, sysconfig
import trio, trio.lowlevel  # it has its own way on each system

sysconfig.get_config_vars()  # keeps what it has found, by the name of the system
for module in ("fcntl", "resource", "pwd", "grp", "termios", "pty", "syslog", "ctypes"):
    sys.modules[module] = None
del signal.pthread_sigmask, signal.SIGHUP, trio.lowlevel.FdStream
for name in dir(os):
    if name.startswith(("sched_", "fork")) or name in {NAMES}:
        delattr(os, name)
elsewhere = type(sys)("select")  # trio keeps the one that it has imported
vars(elsewhere).update({k: v for k, v in vars(select).items() if "epoll" not in k.lower()})
sys.modules["select"] = select = elsewhere
sys.platform = "another"
""".replace(
    "{NAMES}", '{"pidfd_open", "waitid", "killpg", "getuid", "geteuid", "getloadavg", "setsid"}'
)
"""Run first, this leaves a Python as it is elsewhere: what follows finds none of these."""

COMMAND = "from polynya_app import main; main()"
POLYNYA = WITHOUT + COMMAND
MATCH = ("match", "random", "greedy", "--games", "2", "--move-ms", "60000")


def run(*words: str | Path, folder: Path) -> str:
    """What a Python prints of which nothing is left but what all systems have."""
    command = [sys.executable, *map(str, words)]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    "use", ["import fcntl", "import ctypes", "select.epoll", "os.killpg", "trio.lowlevel.FdStream"]
)
def test_what_is_taken_away_is_missing(use: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", f"{WITHOUT}{use}"], cwd=tmp_path, capture_output=True, check=False
    )
    assert ended.returncode == 1


def test_match_between_built_in_bots_is_played_by_what_all_systems_have(tmp_path: Path) -> None:
    shown = run("-c", POLYNYA, *MATCH, "--logs", "logs", folder=tmp_path)
    assert "greedy" in shown
    assert sorted(path.name for path in tmp_path.glob("logs/*")) == ["greedy.log", "random.log"]


def test_what_a_bot_prints_is_kept_where_pipes_are_read_by_threads(tmp_path: Path) -> None:
    bot = tmp_path / "talker.py"
    bot.write_text("print('I talk and go', flush=True)\n", encoding="utf-8")
    words = ("match", "random", f"'{sys.executable}' talker.py", "--logs", "logs")
    command = [sys.executable, "-c", POLYNYA, *words]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    logs = [path.read_text(encoding="utf-8") for path in tmp_path.glob("logs/*")]
    assert any("I talk and go" in log for log in logs)


def test_bot_of_the_python_sdk_plays_by_what_all_systems_have(tmp_path: Path) -> None:
    example = str(EXAMPLES / "greedy_bot.py")
    bot = tmp_path / "elsewhere.py"
    bot.write_text(
        f"{WITHOUT}import runpy\nsys.path.insert(0, {str(EXAMPLES)!r})\n"
        f"sys.argv = [{example!r}]\nrunpy.run_path({example!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    words = ("match", "random", f"'{sys.executable}' elsewhere.py", "--move-ms", "60000")
    shown = run(
        "-c",
        "from polynya_app import main; main()",
        *words,
        "--games",
        "2",
        folder=tmp_path,
    )
    assert "elsewhere" in shown


def test_examination_of_the_machine_leaves_out_limits_that_are_not_there(tmp_path: Path) -> None:
    shown = run("-c", POLYNYA, "doctor", "--folder", ".", "--json", folder=tmp_path)
    assert '"python"' in shown.lower()
    assert "file descriptors" not in shown
