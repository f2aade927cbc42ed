"""Sandboxes that are real: without the tools that make them these tests are skipped."""

from __future__ import annotations

import pytest
from tests.clients.toolchains import require_sandboxes


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    """The tool that makes most of them."""
    require_sandboxes()
