"""A worker and a coordinator of different versions of polynya, really installed, do not play."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.packaging.environments import built_wheel, unpacked
from tests.tournaments.distribution.clusters import Run, cluster, wait_until, write_cup

HERE = version("polynya")
OTHER = "0.1.99"
NOT_FOR_BUILDING = shutil.ignore_patterns(
    ".venv", ".git", "build", "dist", "demo", "node_modules", "target", "__pycache__", "uv.lock"
)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment of a process in which another version is installed, without a compiler."""
    folder = tmp_path_factory.mktemp("other")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=NOT_FOR_BUILDING)
    project = source / "pyproject.toml"
    text = project.read_text()
    assert text.count(f'\nversion = "{HERE}"\n') == 1
    project.write_text(text.replace(f'\nversion = "{HERE}"\n', f'\nversion = "{OTHER}"\n'))
    wheel = built_wheel(source, folder, {"POLYNYA_COMPILE": "0"})
    assert OTHER in wheel.name
    return unpacked(wheel, folder / "installed")


def with_variables(environment: Mapping[str, str]) -> list[str]:
    """Words before a command that let it see these variables."""
    return ["env", *(f"{name}={value}" for name, value in environment.items())]


def test_worker_of_another_version_is_refused_by_name(
    tmp_path: Path, other: Mapping[str, str]
) -> None:
    with cluster(tmp_path, "same") as found:
        found.start_worker("odd", with_variables(other))
        wait_until(
            lambda: all("Registered to" in found.log(name) for name in found.workers),
            "both workers are there",
        )
        run = Run(write_cup(tmp_path), "--dask", found.address)
        assert run.code() == 1
    assert (
        f"worker odd@{os.uname().nodename} has polynya {OTHER}, the coordinator has {HERE}: "
        "install the same version on both"
    ) in run.said()


def test_coordinator_of_another_version_is_refused_by_its_workers(
    tmp_path: Path, other: Mapping[str, str]
) -> None:
    with cluster(tmp_path, "one") as found:
        wait_until(lambda: "Registered to" in found.log("one"), "the worker is there")
        run = Run(write_cup(tmp_path), "--dask", found.address, environment=other)
        assert run.code() == 1
        assert f"worker one@{os.uname().nodename} has polynya {HERE}" in run.said()
        assert f"the coordinator has {OTHER}: install the same version" in run.said()
        again = Run(write_cup(tmp_path / "again", 1), "--dask", found.address)
        assert again.code() == 0, again.said()


def test_worker_of_another_version_that_comes_later_plays_nothing(
    tmp_path: Path, other: Mapping[str, str]
) -> None:
    with cluster(tmp_path, "same") as found:
        run = Run(write_cup(tmp_path, 40), "--dask", found.address)
        run.says("2 of 80 matches")
        found.start_worker("odd", with_variables(other))
        run.says(f"worker odd@{os.uname().nodename} has polynya {OTHER}, the coordinator")
        assert run.code() == 0, run.said()
    assert run.said().count("the others play without this worker") == 1
