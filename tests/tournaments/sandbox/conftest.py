"""Sandboxes that are real: without the tools that make them these tests are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients.toolchains import require_sandboxes


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
