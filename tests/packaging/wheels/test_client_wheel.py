"""The Python SDK's wheel, put into a clean environment and used from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.packaging.environments import built_wheel, clean_environment, run
from tests.packaging.published import example, plays

ARTEFACT = "wheel polynya-client"


@pytest.fixture(scope="module")
def client_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheel = built_wheel(ROOT / "clients" / "python", tmp_path_factory.mktemp("wheel"))
    return clean_environment(tmp_path_factory.mktemp("environment") / "venv", wheel)


def test_the_client_brings_msgpack_and_nothing_else(client_programs: Path, tmp_path: Path) -> None:
    listing = run(
        client_programs / "python", "-m", "pip", "list", "--format", "freeze", cwd=tmp_path
    )
    installed = {line.split("==")[0].split(" @")[0].lower() for line in listing.split("\n") if line}
    assert {"msgpack", "polynya-client"} == installed - {"pip", "setuptools", "wheel"}


def test_the_client_is_imported_from_its_wheel(client_programs: Path, tmp_path: Path) -> None:
    where = run(
        client_programs / "python",
        "-c",
        "import polynya_client; print(polynya_client.__file__)",
        cwd=tmp_path,
    )
    assert "site-packages" in where


@pytest.mark.step("played")
async def test_bot_of_the_readme_plays_with_the_installed_wheel(
    client_programs: Path, tmp_path: Path
) -> None:
    (tmp_path / "my_bot.py").write_text(example("python", "python"))
    await plays([client_programs / "python", "-I", tmp_path / "my_bot.py"])
