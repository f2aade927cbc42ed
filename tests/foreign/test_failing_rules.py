"""A game folder whose program dies in one position: what waits for the host, and how he goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.recorded_matches import launcher

NIM = ROOT / "examples" / "games" / "nim-process"
DYING = """    if question["step"][1] == 3 and document["stones"] == 5:
        sys.exit(3)
    stones -="""
"""Statements of a rules process that ends whenever three of five stones are taken."""

BOT = """
import os
from polynya_client import run

def choose(turn):
    count = int(os.environ["COUNT"])
    return [min(turn.legal, key=lambda step: abs(step[1] - count))]

run(choose, name="taker", wants=["legal"])
"""
"""A bot that takes COUNT stones if it can."""

CUP = """
name = "cup"
game = "./nim"
database = "cup.sqlite"
clock = { move_ms = 60000 }
options = { stones = 5 }
absent = "open"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament of Nim that dies when a bot takes three of five stones, as gil does."""
    shutil.copytree(NIM, tmp_path / "nim")
    program = tmp_path / "nim" / "nim.py"
    program.write_text(program.read_text().replace("    stones -=", DYING, 1))
    (tmp_path / "bot.py").write_text(BOT)
    bots = [bot(name, count) for name, count in (("ann", 1), ("bob", 1), ("gil", 3))]
    (tmp_path / "cup.toml").write_text(CUP + "".join(bots))
    return tmp_path


def bot(name: str, count: int) -> str:
    """A table of a description."""
    command = [sys.executable, "bot.py"]
    path = os.pathsep.join(sys.path)
    return (
        f'[[bots]]\nname = "{name}"\ncommand = {command}\n'
        f'environment = {{ COUNT = "{count}", PYTHONPATH = "{path}" }}\n'
    )


def polynya(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*launcher(), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def mend(folder: Path) -> None:
    """Give the game the program that does not die."""
    shutil.copy(NIM / "nim.py", folder / "nim" / "nim.py")


def test_pairings_wait_until_the_host_has_mended_the_game(folder: Path) -> None:
    first = polynya(folder, "tournament", "run", "cup.toml")
    assert first.returncode == 1
    assert "give the same command with --play-held" in first.stderr
    assert "forfeit" not in first.stderr
    status = polynya(folder, "tournament", "status", "cup", "--database", "cup.sqlite").stdout
    asked = '{"ask": "apply", "step": ["take", 3], '
    for said in (first.stderr, status):
        assert f"the rules process ended; gil acted before; the rules were asked {asked}" in said
    assert "because the rules of the game failed: mend the game, then run 'polynya" in status
    mend(folder)

    second = polynya(folder, "tournament", "run", "cup.toml")
    assert second.returncode == 1
    assert second.stdout == first.stdout
    third = polynya(folder, "tournament", "run", "cup.toml", "--play-held")

    assert third.returncode == 0
    assert "6 of 6 matches played" in third.stdout
    assert "--play-held" not in third.stderr


def test_next_round_of_a_knockout_waits_for_the_match(folder: Path) -> None:
    description = folder / "cup.toml"
    knockout = description.read_text().replace("absent =", 'format = "knockout"\nabsent =')
    description.write_text(knockout)

    first = polynya(folder, "tournament", "run", "cup.toml")
    assert first.returncode == 1
    assert "with --play-held; until they have results nothing further is drawn" in first.stderr
    mend(folder)
    last = polynya(folder, "tournament", "run", "cup.toml", "--play-held")

    assert last.returncode == 0


def test_pairing_waits_for_the_host_after_a_kill(folder: Path) -> None:
    with (folder / "cup.toml").open("a") as description:
        description.write('[[bots]]\nname = "eve"\nexternal = true\n')
    with subprocess.Popen(
        [*launcher(), "tournament", "run", "cup.toml"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "waits for you" in line:
                running.send_signal(signal.SIGKILL)
                break
    mend(folder)
    without_eve = (
        (folder / "cup.toml")
        .read_text()
        .replace("external = true", "external = true\nwithdrawn = true")
    )
    (folder / "cup.toml").write_text(without_eve)

    again = polynya(folder, "tournament", "run", "cup.toml")

    assert again.returncode == 1
    assert "because the rules of the game failed: mend the game" in again.stderr
