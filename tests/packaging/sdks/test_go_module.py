"""The Go module: fetched by its path and version from the repository's address, and used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.clients import toolchains
from tests.packaging.published import ADDRESS, CLIENTS, VERSION, example, plays, said

ARTEFACT = "Go module clients/go"
FOLDER = CLIENTS / "go"
MODULE = f"{ADDRESS.removeprefix('https://')}/clients/go"
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"


@pytest.fixture(scope="module")
def environment(
    repository: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, str]:
    """Go with an empty cache of modules; the project's come from its address, by git."""
    toolchains.require("go")
    return {
        **repository,
        "GOPRIVATE": ADDRESS.removeprefix("https://"),
        "GOMODCACHE": str(tmp_path_factory.mktemp("modules")),
        "GOFLAGS": "-modcacherw",
    }


@pytest.fixture(scope="module")
def program(environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a program that has fetched the module."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "main.go").write_text(example("go", "go"))
    said("go", "mod", "init", "my_bot", cwd=folder, env=environment)
    said("go", "get", f"{MODULE}@v{VERSION}", cwd=folder, env=environment)
    return folder


@pytest.mark.step("built")
def test_module_has_the_path_of_its_folder_in_the_repository() -> None:
    declared = re.findall(r"^module (.*)$", (FOLDER / "go.mod").read_text("utf-8"), re.MULTILINE)
    assert declared == [MODULE]


@pytest.mark.step("checked")
def test_sources_are_clean_for_vet_and_staticcheck() -> None:
    toolchains.require("go")
    said("go", "vet", "./...", cwd=FOLDER)
    said("go", "run", STATICCHECK, "./...", cwd=FOLDER)


@pytest.mark.step("installed")
def test_fetched_module_holds_its_licence_and_passes_its_tests(
    program: Path, environment: Mapping[str, str]
) -> None:
    words = ("go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", MODULE)
    version, _, folder = said(*words, cwd=program, env=environment).strip().partition(" ")
    assert f"v{VERSION}" == version
    assert {"LICENSE", "CHANGELOG.md", "README.md"} <= {
        each.name for each in Path(folder).iterdir()
    }
    said("go", "test", f"{MODULE}/...", cwd=program, env=environment)


@pytest.mark.step("played")
async def test_bot_built_against_the_fetched_module_plays(
    program: Path, environment: Mapping[str, str]
) -> None:
    said("go", "build", "-o", "my_bot", cwd=program, env=environment)
    await plays([program / "my_bot"])
