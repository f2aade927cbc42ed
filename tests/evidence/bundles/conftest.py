"""A finished tournament of two matches, and its bundle."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evidence.bundles.published import bundle_of

from polynya_app.application import run

QUICK = ("--option", "turn_limit=2", "--game", "icecult", "--move-ms", "60000", "--seed", "7")


@pytest.fixture(scope="package")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament of two matches."""
    path = tmp_path_factory.mktemp("contest") / "contest.sqlite"
    assert run(["match", "random", "greedy", *QUICK, "--database", str(path)]) == 0
    return path


@pytest.fixture(scope="package")
def published(database: Path) -> bytes:
    return bundle_of(database)
