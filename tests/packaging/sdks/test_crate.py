"""The crate: packaged, checked as crates.io does, tested and used away from the checkout."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from tests.clients import toolchains
from tests.packaging.published import CLIENTS, VERSION, example, plays, said

ARTEFACT = "crate polynya-client"
FOLDER = CLIENTS / "rust"
TARGET = FOLDER / "target" / "published"


@pytest.fixture(scope="module")
def output() -> str:
    """What cargo says: it packages the crate, builds the package, and would upload it."""
    toolchains.require("cargo", "c")
    words = ("publish", "--dry-run", "--allow-dirty", "--locked", "--target-dir", TARGET)
    return said("cargo", *words, cwd=FOLDER)


@pytest.fixture(scope="module")
def crate(output: str, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """The unpacked crate."""
    folder = tmp_path_factory.mktemp("crate")
    words = ("package", "--no-verify", "--allow-dirty", "--locked", "--target-dir", TARGET)
    said("cargo", *words, cwd=FOLDER)
    with tarfile.open(TARGET / "package" / f"polynya-client-{VERSION}.crate") as archive:
        archive.extractall(folder, filter="data")
    for path in folder.rglob("*"):
        path.touch()  # else cargo takes what an earlier run has built in a folder that is gone
    return folder / f"polynya-client-{VERSION}"


@pytest.mark.step("built")
def test_crate_holds_readme_licence_and_changelog(crate: Path) -> None:
    names = {path.name for path in crate.iterdir()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "Cargo.lock"} <= names


@pytest.mark.step("checked")
def test_registry_would_take_the_crate_without_a_warning(output: str) -> None:
    warnings = [line for line in output.splitlines() if line.startswith("warning")]
    assert warnings == ["warning: aborting upload due to dry run"]


@pytest.mark.step("installed")
def test_tests_of_the_unpacked_crate_pass(crate: Path) -> None:
    said("cargo", "test", "--locked", "--target-dir", TARGET, cwd=crate)


@pytest.mark.step("played")
async def test_bot_built_against_the_crate_plays(crate: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text(example("rust", "rust"))
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "my_bot"\nversion = "0.1.0"\nedition = "2024"\n'
        f'[dependencies]\nfastrand = "2"\npolynya-client = {{ path = "{crate}" }}\n'
    )
    (tmp_path / "Cargo.lock").write_bytes((crate / "Cargo.lock").read_bytes())
    said("cargo", "build", "--target-dir", TARGET, cwd=tmp_path)
    await plays([TARGET / "debug" / "my_bot"])
