"""The tutorials about games: a newcomer's afternoon, done as the pages say, in an empty folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.clients.uploaded.test_uploads_tutorial import photographer
from tests.folders import DOCS


def pip_into(packages: Path) -> dict[str, str]:
    """An environment in which pip installs into a folder, without a network, and Python looks."""
    return {
        "PIP_TARGET": str(packages),
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as "without isolation"
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONPATH": os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")]),
    }


@pytest.mark.parametrize("page", ["game-with-cards", "game-with-joint-turns"])
def test_the_tutorial_leads_from_an_empty_folder_to_a_verified_tournament(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, packages = tmp_path / "home", tmp_path / "packages"
    home.mkdir()
    for name, value in pip_into(packages).items():
        monkeypatch.setenv(name, value)

    photographer().Evening(home, home).run((DOCS / f"{page}.md").read_text("utf-8"))
