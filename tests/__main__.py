"""Runs tests and checks in groups, a few at a time: ``python -m tests [SET ...]``.

A line for each says what became of a group, how long it took and how much time of processors;
below it stands what was skipped, or the whole output of a group that failed. Without a set the
default one runs. All groups stand in one queue, those first that run longest, so that no processor
is idle while another one has several groups to run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from tests.clients.toolchains import found

TESTS = Path(__file__).parent
AT_ONCE = min((os.cpu_count() or 1) + 1, 6)
"""One more than there are processors: half of the groups' time they wait for servers and bots."""
MOST_NAMED = 4


class Group(NamedTuple):
    """What one process runs.

    Attributes:
        seconds: about how long it runs beside another one, on two cores.
        paths: folders and files of ``tests/``, for pytest; none if ``target`` is given.
        target: a target of the Makefile.
    """

    seconds: int
    paths: Sequence[str] = ()
    target: str = ""

    @property
    def name(self) -> str:
        """The words for its line."""
        if self.target:
            return f"make {self.target}"
        is_short = len(self.paths) <= MOST_NAMED
        return ", ".join(self.paths) if is_short else f"{len(self.paths)} other files"


SETS: Mapping[str, Sequence[Group]] = {
    "lint": (Group(10, target="lint"),),
    "types": (Group(40, target="types"),),
    "site": (Group(20, target="site"),),
    "compiled": (Group(120, target="test-compiled"),),
    "default": (
        Group(400, ["web/pages"]),
        Group(250, ["conformance", "store", "evidence/bundles"]),
        Group(250, ["app", "hosting/bots", "evidence/reports"]),
        Group(150, ["web/live"]),
        Group(150, ["web/boards", "web/content"]),
        Group(120, ["web/play"]),
        Group(110, ["games"]),
        Group(100, ["tournaments/tournament"]),
        Group(90, ["contest/pairing", "contest/config"]),
        Group(90, ["tournaments/ladder", "contest/ratings", "evidence/analysis"]),
        Group(60, ["foreign/openspiel"]),
        Group(40, ["server"]),
        Group(30, ["tournaments/hostile_uploads"]),
        Group(30, ["clients/python"]),
    ),
    "whole": (Group(220, ["tournaments/whole"]),),
    "chaos": (Group(90, ["chaos"]), Group(50, ["storage"])),
    "dask": (Group(350, ["tournaments/distribution"]),),
    "container": (Group(300, ["container"]),),
    "sandbox": (Group(150, ["hosting/sandbox", "hosting/self_test"]),),
    "uploads": (Group(170, ["tournaments/uploads"]),),
    "postgresql": (Group(540, ["tournaments/postgresql"]),),
    "languages": (Group(1270, ["clients/languages"]), Group(590, ["clients/uploaded"])),
    "long": (Group(600, ["contest"]), Group(600, ["games"]), Group(3600, ["foreign/openspiel"])),
    "packaging": (Group(190, ["packaging/wheels"]), Group(300, ["packaging/sdks"])),
}
"""Tests that no set names run in the default's last group."""
SECONDS_OF_THE_OTHERS = 390


class Result(NamedTuple):
    """What became of a group.

    Attributes:
        seconds: how long it ran.
        processor_s: the time of processors that it and its processes took, if they were waited for.
    """

    status: int
    output: str
    seconds: float
    processor_s: float


def groups(name: str) -> Sequence[Group]:
    """The groups of a set."""
    return [*SETS[name], remaining()] if name == "default" else SETS[name]


def remaining() -> Group:
    """The files with tests that stand in no group."""
    named = {TESTS / path for groups in SETS.values() for group in groups for path in group.paths}
    return Group(
        SECONDS_OF_THE_OTHERS,
        [
            str(path.relative_to(TESTS))
            for path in sorted(TESTS.rglob("test_*.py"))
            if named.isdisjoint({path, *path.parents})
        ],
    )


def command_of(group: Group, folder: str) -> Sequence[str]:
    """The command that runs a group; tests leave their files in a folder."""
    if group.target:
        return ["make", "--no-print-directory", group.target]
    # In a folder of its own: each pytest removes folders that others have left, and some are deep.
    command = [sys.executable, "-m", "pytest", "-q", f"--basetemp={folder}/tests"]
    return [*command, *(str(TESTS / path) for path in group.paths)]


def compiler_cache(folder: Path) -> Mapping[str, str]:
    """Variables with which CMake compiles equal C and C++ sources once; none without ccache.

    The groups build the SDKs in several folders, so paths are hashed relative to the build's.

    Args:
        folder: of the cache.
    """
    if not found("ccache"):
        return {}
    return {
        "CCACHE_BASEDIR": "/",
        "CCACHE_DIR": str(folder),
        "CCACHE_NOHASHDIR": "1",
        # Precompiled headers, and kits that were written a moment ago.
        "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime",
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        "CMAKE_C_COMPILER_LAUNCHER": "ccache",
    }


def run(group: Group, variables: Mapping[str, str] | None = None) -> Result:
    """Run one group in a process of its own, with these variables in addition."""
    began = time.monotonic()
    folder = tempfile.mkdtemp(prefix="polynya-tests-")
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            command_of(group, folder),
            cwd=TESTS.parent,
            env={**os.environ, **(variables or {})},
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        _, status, use = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode(errors="replace")
    subprocess.run(["rm", "-rf", folder], check=False)
    return Result(process.returncode, said, time.monotonic() - began, use.ru_utime + use.ru_stime)


def report(group: Group, result: Result) -> str:
    """The line of a group, and what must be read below it."""
    lines = result.output.splitlines() or [""]
    counts = lines[-1].partition(" in ")[0]
    line = (
        f"{result.seconds:5.0f} s {result.processor_s:5.0f} s of processors  {group.name}: {counts}"
    )
    if result.status:
        return f"{line}\n{result.output}"
    return "\n".join([line, *(f"         {each}" for each in lines if each.startswith("SKIPPED"))])


def failure_of(group: Group, result: Result) -> str:
    """A failed group and the tests that failed in it, for the end of a long output."""
    kinds = ("FAILED ", "ERROR ", "Timeout ")
    failed = [line for line in result.output.splitlines() if line.startswith(kinds)]
    return "\n  ".join([f"failed: {group.name}", *failed])


def run_and_report(group: Group, variables: Mapping[str, str]) -> Result:
    """Run a group and print its line."""
    result = run(group, variables)
    print(report(group, result), flush=True)
    return result


def queue(names: Sequence[str]) -> Sequence[Group]:
    """The groups of sets, those first that run longest."""
    chosen = [group for name in names for group in groups(name)]
    return sorted(chosen, key=attrgetter("seconds"), reverse=True)


def main(names: Sequence[str]) -> None:
    """Run sets; exit with 1 if a group fails."""
    began, chosen = time.monotonic(), queue(names)
    print(f"{len(chosen)} groups of tests, {AT_ONCE} at a time:", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="polynya-ccache-") as cache,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        run_one = partial(run_and_report, variables=compiler_cache(Path(cache)))
        failures = [
            failure_of(group, result)
            for group, result in zip(chosen, pool.map(run_one, chosen), strict=True)
            if result.status
        ]
    for each in failures:
        print(each)
    print(f"{time.monotonic() - began:5.0f} s  in all; groups that failed: {len(failures)}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(sys.argv[1:] or ["default"])
