"""Where groups are made: of both versions, as high as this user must go and as low as it can."""

from __future__ import annotations

import os
from pathlib import Path

from polynya_hosting.sandbox.control_groups import found_parent, remove_abandoned, split


def delegated(folder: Path, controllers: str) -> Path:
    """A group of version 2 that passes these on."""
    folder.mkdir(parents=True)
    (folder / "cgroup.subtree_control").write_text(controllers)
    return folder


def mounts(*lines: str) -> list[str]:
    return [f"{line} 0 0" for line in lines]


def test_group_of_version_1_is_made_below_our_own(tmp_path: Path) -> None:
    own = tmp_path / "user" / "server"
    own.mkdir(parents=True)
    found = found_parent(
        "memory", mounts(f"cgroup {tmp_path} cgroup rw,memory"), ["4:memory:/user/server", "0::/"]
    )
    assert found is not None
    assert (found.folder, found.version) == (own, 1)


def test_path_of_another_namespace_leads_to_the_top(tmp_path: Path) -> None:
    found = found_parent(
        "pids", mounts(f"cgroup {tmp_path} cgroup rw,pids"), ["8:pids:/not/seen/from/here"]
    )
    assert found is not None
    assert found.folder == tmp_path


def test_group_of_version_2_is_made_where_the_limit_is_passed_on(tmp_path: Path) -> None:
    delegated(tmp_path / "service", "cpu memory pids")
    delegated(tmp_path / "service" / "main", "")
    found = found_parent("pids", mounts(f"cgroup2 {tmp_path} cgroup2 rw"), ["0::/service/main"])
    assert found is not None
    assert (found.folder, found.version) == (tmp_path / "service", 2)


def test_limit_without_a_delegated_group_is_left_to_others(tmp_path: Path) -> None:
    delegated(tmp_path / "service", "pids")
    lines = mounts(f"cgroup2 {tmp_path} cgroup2 rw")
    assert found_parent("memory", lines, ["0::/service"]) is None
    assert found_parent("memory", [], []) is None


def test_groups_of_servers_that_were_killed_are_removed(tmp_path: Path) -> None:
    none = 2**22 + 1  # the kernel gives no process this number
    names = (f"polynya-{none}-1", f"polynya-{none}-2", f"polynya-{os.getpid()}-1", "polynya-x-1")
    for name in names:
        (tmp_path / name).mkdir()
    remove_abandoned(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(names[2:])


def test_processes_of_a_group_that_is_split_move_into_one_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("17\n")
    split(tmp_path)
    assert (tmp_path / "polynya-server" / "cgroup.procs").read_text() == "17"
    # A real file takes each line and keeps the sum of them.
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+cpu"
