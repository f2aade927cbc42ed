"""An older commit beside this one: both play matches by turns, and the ratio counts.

``polynya match`` is measured, with bare bots and with kits' bots, in some minutes.
With ``--all`` it is the whole of ``as-started``, as the benchmark of each commit measures it.

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
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks import load
from benchmarks.figures import Figure
from benchmarks.kit_bots import kit_bot
from benchmarks.match_rates import Version, rates

ROOT = Path(__file__).parent.parent
ROUNDS = 3
"""How often each plays; the order changes from one round to the next."""


Rates = Callable[[Path, Mapping[str, str], float], Mapping[str, float]]
"""Rates of a checkout, by its folder, its environment and the seconds that each is measured."""


def measure(
    commit: str, seconds: float, *, compiled: bool = False, everything: bool = False
) -> list[Figure]:
    """The medians of both, and our multiple of the older one's, for each rate of matches.

    Args:
        commit: the older one, as Git knows it.
        seconds: how long a figure is measured.
        compiled: whether a wheel with compiled modules is built of each.
        everything: whether all rates of ``as-started`` are measured, not those of ``match`` alone.

    Raises:
        CalledProcessError: there is no such commit, or one of the two cannot be measured.
    """
    if everything:
        return _by_turns(_rates_of_everything, commit, seconds, compiled=compiled)
    with load.compiled() as bare, kit_bot() as kit:
        only_matches = partial(_rates_of_matches, bare, kit)
        return _by_turns(only_matches, commit, seconds, compiled=compiled)


def _by_turns(measured: Rates, commit: str, seconds: float, *, compiled: bool) -> list[Figure]:
    with _checked_out(commit) as older:
        folders = {"this": ROOT, commit: older}
        sides = {side: _environment(folder, compiled=compiled) for side, folder in folders.items()}
        found: dict[str, dict[str, list[float]]] = {side: {} for side in sides}
        for number in range(ROUNDS):
            for side in sorted(sides, reverse=bool(number % 2)):
                print(f"round {number + 1} of {ROUNDS}: {side} ...", file=sys.stderr)
                for what, value in measured(folders[side], sides[side], seconds).items():
                    found[side].setdefault(what, []).append(value)
    return list(_compared(commit, found["this"], found[commit]))


def _rates_of_matches(
    bare: Path, kit: Path | None, folder: Path, environment: Mapping[str, str], seconds: float
) -> Mapping[str, float]:
    """Matches a second of ``polynya match`` of a checkout, as this benchmark measures them."""
    with (folder / "pyproject.toml").open("rb") as file:
        module, _, function = tomllib.load(file)["project"]["scripts"]["polynya"].partition(":")
    program = f"from {module} import {function}; {function}()"
    return rates(Version([sys.executable, "-c", program], environment), bare, kit, seconds)


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


def _rates_of_everything(
    folder: Path, environment: Mapping[str, str], seconds: float
) -> Mapping[str, float]:
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
