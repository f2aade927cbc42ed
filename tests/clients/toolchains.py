"""The toolchains of other languages: may be missing, then their tests are skipped and say so."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[2] / "clients"
_BUILD_SECONDS = 1_800
"""Generous: the first build downloads the packages that it needs."""


def require(*programs: str) -> None:
    """Skip unless all these programs are there; with ``POLYNYA_REQUIRE_ALL=1`` fail instead."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        lacking(", ".join(missing))


def lacking(what: str) -> None:
    """Skip, since this is not installed; with ``POLYNYA_REQUIRE_ALL=1`` fail instead."""
    reason = f"not installed: {what}"
    if os.environ.get("POLYNYA_REQUIRE_ALL") == "1":
        pytest.fail(f"{reason}, and POLYNYA_REQUIRE_ALL asks for it", pytrace=False)
    pytest.skip(reason)


def run(*command: str | Path, cwd: Path) -> str:
    """What a command that must succeed prints on its standard output."""
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        text=True,
        capture_output=True,
        check=False,
        timeout=_BUILD_SECONDS,
    )
    assert result.returncode == 0, f"{command} failed:\n{result.stdout}\n{result.stderr}"
    return result.stdout


def newer(built: Path, sources: Sequence[Path]) -> bool:
    """Whether what was built is there, and no older than any of its sources."""
    return built.exists() and all(
        source.stat().st_mtime <= built.stat().st_mtime for source in sources
    )
