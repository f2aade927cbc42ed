"""An older commit beside this one: both play ``as-started`` by turns, and the ratio counts.

The older commit lies in a folder of its own for as long as this runs. Its sources are imported from
there by the interpreter of this one, with the packages that are installed here; a commit that needs
others does not start. Both are interpreted, or wheels are built of both.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import Figure

ROOT = Path(__file__).parent.parent
ROUNDS = 3
"""How often each plays; the order changes from one round to the next."""


def measure(commit: str, seconds: float, *, compiled: bool = False) -> list[Figure]:
    """The medians of both, and our multiple of the older one's, for each rate of ``as-started``.

    Args:
        commit: the older one, as Git knows it.
        seconds: how long a figure is measured.
        compiled: whether a wheel with compiled modules is built of each.

    Raises:
        CalledProcessError: there is no such commit, or one of the two cannot be measured.
    """
    with _checked_out(commit) as older:
        folders = {"this": ROOT, commit: older}
        sides = {side: _environment(folder, compiled=compiled) for side, folder in folders.items()}
        found: dict[str, dict[str, list[float]]] = {side: {} for side in sides}
        for number in range(ROUNDS):
            for side in sorted(sides, reverse=bool(number % 2)):
                print(f"round {number + 1} of {ROUNDS}: {side} ...", file=sys.stderr)
                for what, value in _rates(folders[side], sides[side], seconds).items():
                    found[side].setdefault(what, []).append(value)
    return list(_compared(commit, found["this"], found[commit]))


def _compared(
    commit: str, ours: Mapping[str, list[float]], theirs: Mapping[str, list[float]]
) -> Iterator[Figure]:
    for what in ours:
        if what in theirs:
            own, other = statistics.median(ours[what]), statistics.median(theirs[what])
            yield Figure("against", f"{what}: this", own, None, "higher")
            yield Figure("against", f"{what}: {commit}", other, None, "higher")
            yield Figure("against", f"{what}: this / {commit}", own / other, 1.0, "higher")


@contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "older"
        _git("worktree", "add", "--detach", str(place), commit)
        try:
            yield place
        finally:
            _git("worktree", "remove", "--force", str(place))


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True)


def _environment(folder: Path, *, compiled: bool) -> dict[str, str]:
    """The environment in which the packages of a checkout are imported, before installed ones."""
    paths = [folder, *_rooms(folder)]
    if compiled:
        target = folder / "build" / "against"
        words = ["pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", str(target)]
        subprocess.run([sys.executable, "-m", *words, str(folder)], check=True)
        paths.insert(0, target)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}


def _rooms(folder: Path) -> list[Path]:
    """The folders that hold a package."""
    return sorted({path.parent.parent for path in folder.glob("*/polynya_*/__init__.py")})


def _rates(folder: Path, environment: Mapping[str, str], seconds: float) -> dict[str, float]:
    """Matches a second of each command, as the benchmark of that checkout measures them."""
    words = ["-m", "benchmarks", "as-started", "--json", "--seconds", str(seconds)]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {
        figure["what"]: figure["value"]
        for figure in json.loads(done.stdout)
        if figure["what"].endswith("matches/s")
    }
