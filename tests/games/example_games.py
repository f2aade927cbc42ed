"""The example games as if they were installed: their folder and entry points are on the path."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.folders import ROOT

from polynya_games import load

FOLDER = ROOT / "examples" / "games"


@pytest.fixture(scope="module", autouse=True)
def example_games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Register the entry points that pip would register; gives the folder of the games."""
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    packages = tmp_path_factory.mktemp("packages")
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
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(packages))
        load.cache_clear()
        yield FOLDER
    load.cache_clear()
