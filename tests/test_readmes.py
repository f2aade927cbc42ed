"""Every room has a README and a place on the map; every decision a status; every link leads on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.folders import ROOT

ROOMS = [
    "app",
    "clients",
    "common",
    "conformance",
    "contest",
    "evidence",
    "games",
    "hosting",
    "protocol",
    "server",
    "store",
    "tournaments",
    "web",
]
"""The folders with a package each."""

FOLDERS = [*ROOMS, "benchmarks", "building", "changelog.d", "docs", "examples", "tests"]
INSTALLED = {"node_modules", "build", "target"}
"""Folders that tools fill with the work of others."""

PUBLISHED = ("clients/*/README.md", "clients/*/CHANGELOG.md", "CHANGELOG.md")
"""Pages that package registries show, where no link can lead to a file beside the page."""

LINK = r"\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)"
NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
CODE = r"(?s)```.*?```|`[^`]*`"


def test_the_first_page_leads_to_the_readme_of_each_folder() -> None:
    first_page = (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in FOLDERS:
        assert (ROOT / folder / "README.md").is_file(), folder
        assert f"[{folder}/]({folder}/README.md)" in first_page


def sub_packages(room: str) -> Iterator[str]:
    """The names of the sub-packages of a room."""
    for path in sorted((ROOT / room).glob("polynya_*/*/__init__.py")):
        yield path.parent.name


def test_the_map_names_every_room_and_its_sub_packages() -> None:
    text = (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w.]+)/?`", text))
    expected = {name for room in ROOMS for name in (room, *sub_packages(room))}
    assert sorted(expected - named) == []


def test_every_page_of_the_decisions_has_a_status_with_a_date() -> None:
    status = re.compile(r"^Status: (?:accepted|replaced by|record of|guide|index).*\d{4}", re.M)
    pages = sorted((ROOT / "docs" / "design").glob("*.md"))
    assert [page.name for page in pages if not status.search(page.read_text("utf-8"))] == []


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
