"""What tests of uploads need beside what all tests of tournaments do."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest


@pytest.fixture
def listening_port() -> Iterator[int]:
    """A port of this machine, on which something listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
