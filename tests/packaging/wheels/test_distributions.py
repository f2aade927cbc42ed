"""Both distributions of Python: their files, checked as the package index would."""

from __future__ import annotations

import email
import re
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from tests.folders import ROOT
from tests.packaging.environments import run
from tests.packaging.published import ADDRESS, VERSION

ARTEFACT = "distributions for PyPI"
PROJECTS = {"polynya": ROOT, "polynya_client": ROOT / "clients" / "python"}
MANYLINUX = [f"cp3{minor}-manylinux_x86_64" for minor in (11, 12, 13, 14)]


@pytest.fixture(scope="module", params=PROJECTS)
def distribution(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a source distribution, and of a wheel of pure Python that is built from it."""
    folder = tmp_path_factory.mktemp(request.param)
    command = (sys.executable, "-m", "build", "--outdir", folder, PROJECTS[request.param])
    run(*command, cwd=folder, env={"POLYNYA_COMPILE": "0"})
    return folder


def metadata(folder: Path) -> Message:
    (wheel,) = folder.glob(f"*-{VERSION}-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


@pytest.mark.step("built")
def test_both_files_carry_the_licence(distribution: Path) -> None:
    (wheel,) = distribution.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name in archive.namelist() if name.endswith("licenses/LICENSE")] != []
    (source,) = distribution.glob(f"*-{VERSION}.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "CHANGELOG.md", "README.md"} <= names


@pytest.mark.step("checked")
def test_twine_finds_nothing(distribution: Path) -> None:
    files = sorted(str(path) for path in distribution.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=distribution)


@pytest.mark.step("checked")
def test_links_of_the_long_description_are_absolute(distribution: Path) -> None:
    text = str(metadata(distribution).get_payload())
    links = re.findall(r"\]\(([^)\s]+)", re.sub(r"(?s)```.*?```|`[^`]*`", "", text))
    assert links != []
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


@pytest.mark.step("checked")
def test_metadata_says_where_the_project_and_its_changelog_are(distribution: Path) -> None:
    said = metadata(distribution)
    addresses = dict(value.split(", ") for value in said.get_all("Project-URL", []))
    assert addresses["Repository"] == ADDRESS
    assert {"Documentation", "Changelog", "Issues"} <= set(addresses)
    assert [said["Version"], said["License-Expression"]] == [VERSION, "MIT"]


@pytest.mark.step("checked")
def test_workflow_builds_manylinux_wheels_for_every_python() -> None:
    words = ("-m", "cibuildwheel", "--print-build-identifiers", "--platform", "linux")
    chosen = run(sys.executable, *words, "--archs", "x86_64", cwd=ROOT).split()
    assert chosen == MANYLINUX
