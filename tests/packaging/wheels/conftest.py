"""The server's wheel, which is built once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.packaging.environments import built_wheel, clean_environment


@pytest.fixture(scope="session")
def server_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As this machine builds it: compiled, if it can compile."""
    return built_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def server_programs(server_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `polynya` and `python` are, with nothing but that wheel and a host's extras."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    return clean_environment(folder, server_wheel, "[host]")


@pytest.fixture(scope="session")
def plain_programs(server_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without any extra."""
    return clean_environment(tmp_path_factory.mktemp("plain") / "venv", server_wheel)
