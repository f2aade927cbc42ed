"""The server's wheel, put into clean environments and used from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.folders import PACKAGES, ROOT
from tests.packaging.environments import MATCH, run

ARTEFACT = "wheel polynya"


def test_every_package_of_the_server_is_in_its_wheel(server_programs: Path, tmp_path: Path) -> None:
    imports = "; ".join(f"import {package}; print({package}.__name__)" for package in PACKAGES)
    names = run(server_programs / "python", "-c", imports, cwd=tmp_path).split()
    assert list(PACKAGES) == names


@pytest.mark.step("played")
def test_without_extras_the_installed_command_plays_a_match_between_built_in_bots(
    plain_programs: Path, tmp_path: Path
) -> None:
    run(plain_programs / "polynya", *MATCH, cwd=tmp_path)


def test_without_extras_web_pages_and_signatures_are_not_installed(
    plain_programs: Path, tmp_path: Path
) -> None:
    listing = run(
        plain_programs / "python", "-m", "pip", "list", "--format", "freeze", cwd=tmp_path
    )
    installed = {line.partition("==")[0].lower() for line in listing.splitlines()}
    assert {"trio", "sqlalchemy"} <= installed
    assert set() == installed & {"cryptography", "hypercorn", "jinja2", "py4swiss", "starlette"}


def test_with_the_extras_of_a_host_a_key_is_made_and_the_pages_are_found(
    server_programs: Path, tmp_path: Path
) -> None:
    run(server_programs / "polynya", "tournament", "keygen", "--key", "host.key", cwd=tmp_path)
    find = "from polynya_web.web_server import open_web; print(open_web)"
    assert "open_web" in run(server_programs / "python", "-c", find, cwd=tmp_path)


def test_starter_kits_of_the_wheel_carry_the_sources_of_the_sdks(
    server_programs: Path, tmp_path: Path
) -> None:
    kits = ("python", "typescript", "rust", "go", "cpp", "java", "bridge")
    for language in kits:
        run(server_programs / "polynya", "new-bot", "--lang", language, language, cwd=tmp_path)

    assert [
        language for language in kits if not any((tmp_path / language / "sdk").rglob("*"))
    ] == []
    assert (tmp_path / "go" / "sdk" / "client.go").is_file()


def test_the_vectors_that_check_needs_are_in_the_wheel(
    server_programs: Path, tmp_path: Path
) -> None:
    count = (
        "from polynya_conformance.server.frame_cases import refused_frames;"
        "print(len(refused_frames()))"
    )
    counted = run(server_programs / "python", "-c", count, cwd=tmp_path)
    vectors = json.loads((ROOT / "protocol" / "vectors" / "refused.json").read_text("utf-8"))
    assert len(vectors["from_client"]) == int(counted)


def files_of(package: str, programs: Path, folder: Path) -> list[str]:
    """The files of an installed package, as paths in it."""
    listing = (
        f"import pathlib, {package}; here = pathlib.Path({package}.__file__).parent; "
        "print(*(p.relative_to(here) for p in here.rglob('*') if '__pycache__' not in p.parts "
        "and p.is_file()), sep=chr(10))"
    )
    return run(programs / "python", "-c", listing, cwd=folder).splitlines()


def test_the_documents_are_in_the_wheel(server_programs: Path, tmp_path: Path) -> None:
    found = files_of("polynya_common", server_programs, tmp_path)
    assert {"documents/protocol.md", "documents/rules/packeis-cells.svg"} <= set(found)


def test_all_files_of_the_web_pages_are_in_the_wheel(server_programs: Path, tmp_path: Path) -> None:
    installed = sorted(files_of("polynya_web", server_programs, tmp_path))
    source = ROOT / "web" / "polynya_web"
    written = [
        str(path.relative_to(source))
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert sorted(written) == installed
    assert {"static/style.css", "templates/base.html", "texts/de.json"} <= set(installed)
