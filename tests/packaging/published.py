"""What a release says of itself, and the ways in which its artefacts are tried."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.clients.matches import play
from tests.folders import ROOT

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION: str = _PROJECT["version"]
ADDRESS: str = _PROJECT["urls"]["Repository"]
CLIENTS = ROOT / "clients"
OPPONENT = [sys.executable, str(CLIENTS / "python" / "examples" / "random_bot.py")]
_SECONDS = 1_800
"""Generous: the first build downloads the packages that it needs."""


def said(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """All that a command prints that must succeed, errors included."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}"
    return done.stdout


def example(sdk: str, language: str) -> str:
    """The complete bot in an SDK's README."""
    text = (CLIENTS / sdk / "README.md").read_text("utf-8")
    first: str = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[0]
    return first


async def plays(command: Sequence[str | Path]) -> None:
    """Check that a bot plays a whole match on a real server."""
    programs = {"mine": [str(word) for word in command], "random": OPPONENT}
    record = await play(programs, "packeis")
    assert (record.reason, record.forfeits) == ("finished", [])
