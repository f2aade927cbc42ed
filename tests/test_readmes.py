"""Every folder that the first page leads to has a README, which names what lies in the folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.folders import ROOMS, ROOT

FOLDERS = [
    *ROOMS,
    "benchmarks",
    "building",
    "changelog.d",
    "clients",
    "docs",
    "examples",
    "tests",
]
INSTALLED = {"node_modules", "build", "target"}
"""Folders that tools fill with the work of others."""

OF_PYTHON = {"__init__.py", "__pycache__", "py.typed"}
"""They lie everywhere, and say nothing of the folder."""

LISTED = [
    ("benchmarks", "benchmarks"),
    ("building", "building"),
    ("clients", "clients"),
    ("docs", "docs"),
    ("docs/design", "docs/design"),
    ("docs/hosting", "docs/hosting"),
    ("docs/prose", "docs/prose"),
    ("docs/website", "docs/website"),
    ("examples", "examples/games"),
    ("games", "games/polynya_games"),
    ("protocol", "protocol/polynya_protocol"),
    ("server", "server/polynya_server"),
    ("tests", "tests"),
    ("tests/chaos", "tests/chaos"),
    ("tests/fuzz", "tests/fuzz"),
    ("tests/storage", "tests/storage"),
    ("tournaments", "tournaments/polynya_tournaments"),
    ("web", "web/polynya_web"),
]
"""A folder with a README, and the folder whose entries this names: itself, or its package."""


PUBLISHED = ("clients/*/README.md", "clients/*/CHANGELOG.md", "CHANGELOG.md")
"""Pages that package registries show, where no link can lead to a file beside the page."""

LINK = r"\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)"
NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
CODE = r"(?s)```.*?```|`[^`]*`"


def entries(folder: Path) -> Iterator[str]:
    """The names of what lies in a folder, but for what tools leave there."""
    for path in sorted(folder.iterdir()):
        if path.name not in {"README.md", *OF_PYTHON} and not path.name.startswith("."):
            yield path.name


def is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def test_the_first_page_leads_to_the_readme_of_each_folder() -> None:
    first_page = (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in FOLDERS:
        assert (ROOT / folder / "README.md").is_file(), folder
        assert f"[{folder}/]({folder}/README.md)" in first_page


def unnamed(folder: str, listed: str) -> list[str]:
    """The entries of ``listed`` that the README of ``folder`` does not name."""
    text = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    return [name for name in entries(ROOT / listed) if not is_named(name, text)]


def test_every_readme_names_the_entries_of_its_folder() -> None:
    assert {folder: unnamed(folder, listed) for folder, listed in LISTED} == {
        folder: [] for folder, _ in LISTED
    }


def pages() -> Iterator[Path]:
    """The pages of the project, but for those that tools install."""
    for folder in (ROOT, ROOT / ".github", *(ROOT / name for name in FOLDERS)):
        for page in sorted(folder.glob("*.md" if folder == ROOT else "**/*.md")):
            if INSTALLED.isdisjoint(page.parts):
                yield page


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The files that a page links to, each with the anchor in it, empty without one."""
    text = re.sub(CODE, "", page.read_text("utf-8"))
    for path, anchor in re.findall(LINK, text):
        yield page.parent / path if path else page, anchor


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text("utf-8"))
    headings = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    names = [NOT_IN_ANCHORS.sub("", heading.lower()).replace(" ", "-") for heading in headings]
    return {f"{name}-{n}" if n else name for name in set(names) for n in range(names.count(name))}


def test_each_link_to_a_file_of_the_project_leads_to_it() -> None:
    dead = [
        f"{page.relative_to(ROOT)} -> {target}#{anchor}"
        for page in pages()
        for target, anchor in links(page)
        if not target.exists()
        or (anchor and target.suffix == ".md" and anchor not in anchors(target))
    ]
    assert dead == []


def own_links(page: Path) -> Iterator[Path]:
    """The files below the repository's address that a page links to."""
    own = r"\]\(https://github\.com/[\w-]+/polynya/(?:blob|tree)/main/([^)#\s]*)"
    for path in re.findall(own, re.sub(CODE, "", page.read_text("utf-8"))):
        yield ROOT / path


def test_links_of_published_pages_work_where_they_are_shown() -> None:
    published = [page for pattern in PUBLISHED for page in sorted(ROOT.glob(pattern))]
    relative = [
        f"{page.relative_to(ROOT)} -> {target.name}"
        for page in published
        if page.parent.name != "bridge"  # which is no package of its own
        for target, _ in links(page)
        if target != page
    ]
    assert relative == []


def test_each_link_to_the_repositorys_address_leads_to_a_file_of_the_project() -> None:
    dead = [
        f"{page.relative_to(ROOT)} -> {target.relative_to(ROOT)}"
        for page in pages()
        for target in own_links(page)
        if not target.exists()
    ]
    assert dead == []
