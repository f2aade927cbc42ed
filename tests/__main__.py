"""Runs the tests in groups, two at a time, with a line for each: ``python -m tests [SET ...]``.

A line says what became of a group and how long it took; below it stands what was skipped, or the
whole output of a group that failed. Without a set the default one runs. Groups of several sets
stand in one queue: a set with one slow group leaves no processor idle.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parent
AT_ONCE = 2
MOST_NAMED = 4

Group = Sequence[str]
"""Folders and files of ``tests/`` that one pytest runs."""

SETS: Mapping[str, Sequence[Group]] = {
    "default": (
        ["tournaments/tournament"],
        ["web/play"],
        ["contest/pairing", "contest/config"],
        ["web/live", "web/pages"],
        ["tournaments/ladder", "contest/ratings", "evidence/analysis"],
        ["games"],
        ["conformance", "store", "evidence/bundles"],
        ["app", "hosting/bots", "evidence/reports"],
        ["tournaments/hostile_uploads"],
        ["server"],
        ["web/boards", "web/content"],
        ["clients/python"],
    ),
    "whole": (["tournaments/whole"],),
    "chaos": (["chaos"], ["storage"]),
    "dask": (["tournaments/distribution"],),
    "container": (["container"],),
    "sandbox": (["hosting/sandbox", "hosting/self_test"],),
    "uploads": (["tournaments/uploads"],),
    "postgresql": (["tournaments/postgresql"],),
    "languages": (["clients/languages"], ["clients/uploaded"]),
    "long": (["contest"], ["games"]),
    "packaging": (["packaging/wheels"], ["packaging/sdks"]),
}
"""The slowest groups of a set first. Tests that no set names run in the default's last group."""


class Result(NamedTuple):
    """What became of a group."""

    status: int
    output: str
    seconds: float


def groups(name: str) -> Sequence[Group]:
    """The groups of a set."""
    return [*SETS[name], remaining()] if name == "default" else SETS[name]


def remaining() -> Group:
    """The files with tests that stand in no group."""
    named = {TESTS / path for groups in SETS.values() for group in groups for path in group}
    return [
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("test_*.py"))
        if named.isdisjoint({path, *path.parents})
    ]


def run(group: Group) -> Result:
    """Run one group in a process of its own."""
    began = time.monotonic()
    # In a folder of its own: each pytest removes folders that others have left, and some are deep.
    folder = tempfile.mkdtemp(prefix="polynya-tests-")
    command = [sys.executable, "-m", "pytest", "-q", f"--basetemp={folder}/tests"]
    done = subprocess.run(
        [*command, *(str(TESTS / path) for path in group)],
        cwd=TESTS.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    subprocess.run(["rm", "-rf", folder], check=False)
    return Result(done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - began)


def report(group: Group, result: Result) -> str:
    """The line of a group, and what must be read below it."""
    lines = result.output.splitlines() or [""]
    counts = lines[-1].partition(" in ")[0]
    name = ", ".join(group) if len(group) <= MOST_NAMED else f"{len(group)} other files"
    line = f"{result.seconds:5.0f} s  {name}: {counts}"
    if result.status:
        return f"{line}\n{result.output}"
    return "\n".join([line, *(f"         {each}" for each in lines if each.startswith("SKIPPED"))])


def run_and_report(group: Group) -> int:
    """Run a group, print its line, and give its exit status."""
    result = run(group)
    print(report(group, result), flush=True)
    return result.status


def main(names: Sequence[str]) -> None:
    """Run sets; exit with 1 if a group fails."""
    began, chosen = time.monotonic(), [group for name in names for group in groups(name)]
    print(f"{len(chosen)} groups of tests, {AT_ONCE} at a time:", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        failed = sum(status != 0 for status in pool.map(run_and_report, chosen))
    print(f"{time.monotonic() - began:5.0f} s  in all; groups that failed: {failed}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(sys.argv[1:] or ["default"])
