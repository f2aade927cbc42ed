"""The site: it has every page of the project, its links hold, and ``polynya docs`` serves it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import httpx2
import pytest
from tests.folders import DOCS, ROOT
from tests.recorded_matches import launcher

ELSEWHERE = {".github", "changelog.d", "third_party", "vendor", "fixtures", "node_modules"}
"""Folders whose pages are no documentation of the project."""
PATIENCE_S = 60


@pytest.fixture(scope="module")
def pages() -> Iterator[ModuleType]:
    sys.path.insert(0, str(DOCS / "website"))
    yield importlib.import_module("pages")
    sys.path.remove(str(DOCS / "website"))


def written() -> set[str]:
    """The pages of the project, as git knows them."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    files = subprocess.check_output(listing, cwd=ROOT, text=True).split()
    return {
        file
        for file in files
        if (ROOT / file).exists()
        and (ELSEWHERE.isdisjoint(Path(file).parts) or file == "changelog.d/README.md")
    }


def test_every_page_of_the_project_has_a_place_in_the_navigation(pages: ModuleType) -> None:
    listed = set(pages.listed()) | pages.NOT_PAGES
    assert written() == {page for page in listed if not page.startswith("reference/")}


def test_links_to_pages_hold_and_links_to_programs_stay_as_text(
    pages: ModuleType, tmp_path: Path
) -> None:
    made = {page: "# X\n" for page in pages.listed() if page.startswith("reference/")}
    pages.write(tmp_path, made)
    first, design = (
        (tmp_path / name).read_text("utf-8") for name in ("index.md", "design/index.md")
    )
    assert "(write-a-bot.md)" in first
    assert "(games/index.md)" in first
    assert (tmp_path / "board-packeis.png").is_file()
    assert "(011-one-file.md)" in design
    assert "schema.json](" not in (tmp_path / "protocol.md").read_text("utf-8")


@contextmanager
def documentation(folder: Path) -> Iterator[str]:
    """The address of ``polynya docs``."""
    words = [*launcher(), "docs", "--no-browser", "--folder", str(folder)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield process.stderr.readline().removeprefix("documentation on ").strip()
            process.terminate()
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()


def test_the_command_serves_a_folder_and_nothing_above_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "hosting").mkdir(parents=True)
    (site / "index.html").write_text("the first page", encoding="utf-8")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    with documentation(site) as address:
        assert httpx2.get(address, timeout=PATIENCE_S).text == "the first page"
        for path in ("hosting/", "..%2fsecret", "%2e%2e/secret", "nothing"):
            assert httpx2.get(address + path, timeout=PATIENCE_S).status_code == 404


def test_without_a_site_the_sentence_says_how_to_build_it(tmp_path: Path) -> None:
    words = [*launcher(), "docs", "--no-browser", "--folder", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert done.stderr == (
        f"polynya: there is no documentation in {tmp_path}: in a checkout, 'make site' builds it\n"
    )


@pytest.mark.usefixtures("pages")
def test_the_site_shows_the_version_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert importlib.import_module("conf").html_title == f"Polynya {version}"
