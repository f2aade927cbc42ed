"""The example games are installed as their README says, and registered with their bots."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from polynya_common.errors import ConfigurationError
from polynya_contest.config.builtin_bots import builtin_command, builtin_names, games_of_builtin

PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps")
PIP_OFFLINE = (*PIP, "--no-build-isolation", "--no-index")
BOTS = {
    "goofspiel": "goofspiel",
    "kuhn": "kuhn",
    "kuhn-bluffer": "kuhn",
    "kuhn-tight": "kuhn",
    "snakes-careful": "snakes",
    "snakes-flood": "snakes",
    "snakes-search": "snakes",
}


def python(packages: Path, *words: str, entered: str = "") -> str:
    """What Python prints, with packages from a folder, away from the checkout."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=packages,
        env={**os.environ, "PYTHONPATH": str(packages)},
        input=entered,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pip_installs_the_games_with_their_rules(example_games: Path, tmp_path: Path) -> None:
    python(tmp_path, *PIP_OFFLINE, "--target", str(tmp_path), str(example_games))
    command = ("-c", "from polynya_app import main; main()")
    listed = json.loads(python(tmp_path, *command, "games", "list", "--json"))
    packages = {game["name"]: game["package"] for game in listed}
    assert {packages[name] for name in BOTS.values()} == {"polynya-example-games"}
    deal = ("--deal", "ab" * 32)
    traced = python(tmp_path, *command, "trace", "goofspiel", "--players", "3", *deal)
    assert json.loads(traced)["acting"] == [0, 1, 2]


def test_a_distribution_registers_built_in_bots() -> None:
    assert set(BOTS) <= set(builtin_names())
    assert {name: games_of_builtin(name) for name in BOTS} == {
        name: [game] for name, game in BOTS.items()
    }


@pytest.mark.parametrize("name", BOTS)
def test_a_registered_bot_starts(name: str, example_games: Path) -> None:
    command = builtin_command(name)
    path = os.pathsep.join([command.environment["PYTHONPATH"], str(example_games)])
    done = subprocess.run(
        [*command.words, "--help"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_a_registration_of_another_form_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "odd-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[polynya.bots]\nodd = odd_bots:ODD\ngone = no_such_module:BOT\n"
    )
    (tmp_path / "odd_bots.py").write_text("ODD = {'program': 'bot.py'}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigurationError, match="the bot 'odd', is not a mapping with the keys"):
        builtin_command("odd")
    with pytest.raises(ConfigurationError, match="the bot 'gone' cannot be imported"):
        builtin_command("gone")
