"""How many cores a process may use, by the limits that the kernel keeps for its groups."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from polynya_hosting.bots.cores import quota, usable_cores


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """A folder of control groups: a service within a slice."""
    folder = tmp_path / "groups"
    (folder / "system.slice" / "polynya.service").mkdir(parents=True)
    return folder


@pytest.fixture
def of_process(tmp_path: Path) -> Path:
    """The file that says that the process is in that service."""
    file = tmp_path / "cgroup"
    file.write_text("1:cpu:/elsewhere\n0::/system.slice/polynya.service\n")
    return file


def test_a_group_without_a_limit_may_use_all_cores(groups: Path, of_process: Path) -> None:
    (groups / "system.slice" / "polynya.service" / "cpu.max").write_text("max 100000\n")
    assert quota(of_process, groups) == math.inf


def test_a_quota_is_a_part_of_a_period(groups: Path, of_process: Path) -> None:
    (groups / "system.slice" / "polynya.service" / "cpu.max").write_text("150000 100000\n")
    assert quota(of_process, groups) == 1.5


def test_the_limits_of_the_groups_around_hold_too(groups: Path, of_process: Path) -> None:
    (groups / "system.slice" / "polynya.service" / "cpu.max").write_text("400000 100000\n")
    (groups / "system.slice" / "cpu.max").write_text("100000 100000\n")
    assert quota(of_process, groups) == 1


def test_a_container_sees_its_own_group_as_the_outermost(groups: Path, of_process: Path) -> None:
    of_process.write_text("0::/\n")
    (groups / "cpu.max").write_text("200000 100000\n")
    assert quota(of_process, groups) == 2


@pytest.mark.parametrize("text", ["", "much\n", "1 2 3\n", "100000 0\n"])
def test_unreadable_limits_are_ignored(groups: Path, of_process: Path, text: str) -> None:
    (groups / "system.slice" / "cpu.max").write_text(text)
    assert quota(of_process, groups) == math.inf


def test_a_system_without_such_groups_limits_nothing(groups: Path, tmp_path: Path) -> None:
    assert quota(tmp_path / "missing", groups) == math.inf


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="nothing can be pinned")
def test_a_process_that_is_pinned_to_one_core_may_use_one() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
