"""Sandboxes that are real: without the tools that make them these tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes
from tests.hosting.bots.processes import working_in
from tests.hosting.sandbox.hostile import left_groups, started_for


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    """The tool that makes most of them."""
    require_sandboxes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder, which all users can read."""
    made = tmp_path / "bot"
    made.mkdir()
    return made


@pytest.fixture
def nothing_is_left(folder: Path) -> Iterator[None]:
    """No process works in the bot's folder or was started for it, and there is no group of ours."""
    yield
    assert working_in(folder) == set()
    assert started_for(folder) == []
    assert left_groups() == []
