"""The vectors of all games are the ones that the code writes."""

from __future__ import annotations

import subprocess
import sys

from tests.folders import VECTORS_OF_GAMES


def test_the_vectors_are_current() -> None:
    command = [sys.executable, str(VECTORS_OF_GAMES / "make_vectors.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
