"""The groups that ``python -m tests`` runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.__main__ import SETS, TESTS, Group, Result, compiler_cache, failure_of, queue, run
from tests.clients import toolchains

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(first LANGUAGES CXX)
add_executable(main main.cpp)
target_include_directories(main PRIVATE ${PROJECT_SOURCE_DIR})
target_precompile_headers(main PRIVATE <string>)
"""


def test_groups_of_several_sets_are_queued_longest_first() -> None:
    found = [group.seconds for group in queue(["lint", "languages", "postgresql", "types"])]
    assert found == sorted(found, reverse=True)
    assert len(found) == 5


def test_groups_name_folders_with_tests_and_targets_of_the_makefile() -> None:
    makefile = (TESTS.parent / "Makefile").read_text()
    groups = [group for each in SETS.values() for group in each]
    assert [path for group in groups for path in group.paths if not (TESTS / path).exists()] == []
    targets = [group.target for group in groups if group.target]
    assert [target for target in targets if f"\n{target}:" not in makefile] == []


def test_failed_target_gives_its_status_and_output() -> None:
    result = run(Group(1, target="no-such-target"))
    assert result.status == 2
    assert "no-such-target" in result.output


def test_the_tests_that_failed_are_named_again_at_the_end() -> None:
    output = "..F\nFAILED tests/test_a.py::test_b - AssertionError\n1 failed, 2 passed in 1s"
    assert failure_of(Group(1, ["games"]), Result(1, output, 1.0, 1.0)) == (
        "failed: games\n  FAILED tests/test_a.py::test_b - AssertionError"
    )


def test_processor_time_includes_that_of_started_processes() -> None:
    assert run(Group(1, target="help")).processor_s > 0


def test_cpp_sources_that_two_groups_build_in_different_folders_are_compiled_once(
    tmp_path: Path,
) -> None:
    toolchains.require("cmake", "make", "cpp", "ccache")
    environment = {**os.environ, **compiler_cache(tmp_path / "cache")}
    compiled = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "value.hpp").write_text("inline int value() { return 0; }\n")
        (folder / "main.cpp").write_text('#include "value.hpp"\nint main() { return value(); }\n')
        (folder / "CMakeLists.txt").write_text(PROJECT)
        build = "cmake -S . -B build && cmake --build build"
        subprocess.run(["sh", "-c", build], cwd=folder, env=environment, check=True)
        printed = subprocess.check_output(["ccache", "--print-stats"], env=environment, text=True)
        counts = dict(line.split("\t") for line in printed.splitlines())
        compiled.append(int(counts["cache_miss"]))

    assert compiled[0] > 0
    assert compiled[1] == compiled[0]
