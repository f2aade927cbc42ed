"""The example games as if they were installed: their folder and entry points are on the path."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.folders import ROOT

from polynya_games import load
from polynya_web.content.contest_names import game_title
from polynya_web.play.match_request import builtin_opponents, games

FOLDER = ROOT / "examples" / "games"


def register(packages: Path) -> None:
    """Write the entry points that pip would register into a folder of packages."""
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    metadata = packages / "polynya_example_games-1.0.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (metadata / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in project["entry-points"].items()
        )
    )


@pytest.fixture(scope="module", autouse=True)
def example_games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Register the games in this process; gives their folder."""
    packages = tmp_path_factory.mktemp("packages")
    register(packages)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(packages))
        _forget_installed()
        yield FOLDER
    _forget_installed()


def _forget_installed() -> None:
    """Clear all caches of what is installed, so that no test depends on those before it."""
    for cached in (load, game_title, games, builtin_opponents):
        cached.cache_clear()


@pytest.fixture
def example_games_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the games in each process that a test starts."""
    packages = tmp_path / "packages"
    packages.mkdir()
    register(packages)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(packages), str(FOLDER)]))
