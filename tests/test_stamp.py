"""All manifests say the version, the address and the licence that ``pyproject.toml`` says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.folders import ROOT

NEW_REPOSITORY = "another-owner/polynya"


def tracked() -> list[str]:
    return subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()


def stamp(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "building/stamp.py", *words)
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_manifests_and_copies_are_as_stamped() -> None:
    checked = stamp(ROOT, "--check")
    assert (checked.returncode, checked.stdout) == (0, ""), "run: make stamp"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout's text files that git knows."""
    for name in tracked():
        if (ROOT / name).suffix not in {".png", ".sqlite"} and (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "--all"], check=True)
    return tmp_path


def repository() -> str:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    found = re.search(r'Repository = "https://github.com/([\w-]+/polynya)"', text)
    assert found, "the address is one of a repository on GitHub"
    return found[1]


def test_new_address_and_version_reach_every_file(checkout: Path) -> None:
    owner = repository().partition("/")[0]
    project = (checkout / "pyproject.toml").read_text("utf-8")
    version = re.findall(r'^version = "(.*)"$', project, re.MULTILINE)[0]
    moved = project.replace(repository(), NEW_REPOSITORY, 1).replace(version, "77.8.9", 1)
    (checkout / "pyproject.toml").write_text(moved, "utf-8")

    first, second = stamp(checkout), stamp(checkout, "--check")

    assert (first.returncode, second.returncode, second.stdout) == (0, 0, "")
    manifests = [name for name in tracked() if is_manifest(name)]
    texts = {name: (checkout / name).read_text("utf-8") for name in manifests}
    assert [name for name, text in texts.items() if owner in text] == []
    assert [name for name, text in texts.items() if has_version(name, text, version)] == []
    assert len(manifests) >= 9


def is_manifest(name: str) -> bool:
    names = {"pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "CMakeLists.txt"}
    return name.startswith(("clients/", "pyproject.toml")) and Path(name).name in names


def has_version(name: str, text: str, version: str) -> bool:
    """Whether it has the project's old version, or has none though its kind has one."""
    return version in text or ("77.8.9" not in text and not name.endswith("go.mod"))


def test_manifest_without_a_version_is_named(checkout: Path) -> None:
    (checkout / "clients/rust/Cargo.toml").write_text("[package]\n", "utf-8")
    stamped = stamp(checkout)
    assert stamped.returncode == 1
    assert "clients/rust/Cargo.toml has no version after" in stamped.stderr
