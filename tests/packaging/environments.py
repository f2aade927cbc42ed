"""Wheels as a builder makes them, and places to run them from, away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.folders import ROOT

_OWN = ("PYTHON", "VIRTUAL", "POLYNYA_COMPILE")
_SECONDS = 2_400
"""Generous: a build downloads what it needs and compiles for a minute, on a quick machine."""

MATCH = ("match", "random", "greedy", "--games", "2", "--move-ms", "60000")
"""What is installed is asked to play; how fast the machine is must not matter."""


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """What a command prints that must succeed; it sees nothing of this Python's environment."""
    return _succeeded(*command, cwd=cwd, env=env or {}).stdout


def _succeeded(
    *command: str | Path, cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**inherited, **env},
        text=True,
        capture_output=True,
        check=False,
        timeout=_SECONDS,
    )
    assert result.returncode == 0, f"{command} failed:\n{result.stdout}\n{result.stderr}"
    return result


def built_wheel(source: Path, folder: Path, env: Mapping[str, str] | None = None) -> Path:
    """The wheel that ``source`` builds; ``warnings`` beside it has what the builder was told."""
    command = (sys.executable, "-m", "build", "--wheel", "--outdir", folder, source)
    told = _succeeded(*command, cwd=folder, env=env or {}).stderr
    (folder / "warnings").write_text(told, encoding="utf-8")
    (wheel,) = folder.glob("*.whl")
    return wheel


def clean_environment(folder: Path, wheel: Path, extras: str = "") -> Path:
    """The programs' folder of a new virtual environment with nothing but ``wheel`` installed.

    With ``extras``, as ``[host]``, what these need is installed too.
    """
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    programs = folder / "bin"
    pip = (programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check")
    constraints = ROOT / "constraints.txt"
    run(*pip, "install", "--constraint", constraints, f"{wheel}{extras}", cwd=folder)
    return programs


def unpacked(wheel: Path, folder: Path) -> dict[str, str]:
    """Install ``wheel`` in ``folder``; variables with which this Python runs it, no checkout."""
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "install", "--no-deps", "--target", folder, wheel, cwd=folder.parent)
    return {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
