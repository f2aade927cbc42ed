"""The pages of the site: the Markdown files of the project, with links that hold on the site.

A page stands on the site where it stands in the project, but for ``docs/``, which is the top. A
link to a file that is no page, such as a program, stays as text.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
INDEX = "docs/website/index.md"
NOT_OURS = {"build", "demo", "dist", "node_modules", "target", "third_party", "vendor", "fixtures"}
"""Folders of tools, and of the work of others."""
NOT_PAGES = {"docs/README.md"}
"""Pages whose contents the first page and the navigation have already."""
ASIDE = {"hosting/README.md": "room-hosting.md"}
"""Pages whose place another page has: ``docs/hosting/`` is ``hosting/`` on the site."""
PICTURES = {".png", ".svg", ".webp"}

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z]+:|#")
_FENCE = re.compile(r"^```.*?^```[^\n]*\n", re.MULTILINE | re.DOTALL)


@cache
def navigation() -> Mapping[str, Any]:
    """The file ``navigation.toml``."""
    return tomllib.loads(Path(__file__).with_name("navigation.toml").read_text("utf-8"))


@cache
def parts() -> Mapping[str, Sequence[str]]:
    """The pages of each part of the navigation; the last has the pages that stand in none."""
    found = {part["title"]: part["pages"] for part in navigation()["part"]}
    rest = [page for page in written() if page not in _named() and not _readme_above(page)]
    return found | ({"More": rest} if rest else {})


@cache
def listed() -> Sequence[str]:
    """The paths of all pages in the project, in the order of the navigation."""
    return list(dict.fromkeys([INDEX, *_with_those_below(chain.from_iterable(parts().values()))]))


def _with_those_below(pages: Iterable[str]) -> Iterator[str]:
    for page in pages:
        yield page
        yield from _with_those_below(below(page))


@cache
def below(page: str) -> Sequence[str]:
    """The pages that stand below a page in the navigation.

    Those that ``navigation.toml`` names come first, then those beside or below a README. Pages of
    ``docs/design/`` stand in the order of its README, which lists them.
    """
    names: Sequence[str] = ()
    if page == "docs/design/README.md":
        names = re.findall(r"^\| \[([\w-]+\.md)\]", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    named = [*navigation()["below"].get(page, ()), *(f"docs/design/{name}" for name in names)]
    rest = [each for each in written() if each not in _named() and _readme_above(each) == page]
    return list(dict.fromkeys(named + rest))


@cache
def written() -> Sequence[str]:
    """The pages of the project."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in NOT_OURS and each[0] != "."]
        above = Path(folder).relative_to(ROOT)
        found += [(above / name).as_posix() for name in names if name.endswith(".md")]
    return sorted(page for page in found if page not in NOT_PAGES and not _is_fragment(page))


def _is_fragment(page: str) -> bool:
    """Whether it is a piece of the next entry of the changelog."""
    return page.startswith("changelog.d/") and page != "changelog.d/README.md"


@cache
def _named() -> set[str]:
    """The pages that ``navigation.toml`` names."""
    table = navigation()
    named = [part["pages"] for part in table["part"]]
    return {INDEX, *chain.from_iterable([*named, *table["below"].values()])}


def _readme_above(page: str) -> str | None:
    """The nearest README above a page that ``navigation.toml`` names."""
    for folder in Path(page).parents:
        readme = (folder / "README.md").as_posix()
        if readme != page and readme != "README.md" and readme in _named():
            return readme
    return None


def place(path: str) -> str:
    """Where a file of the project stands on the site."""
    if path in {INDEX, *NOT_PAGES}:
        return "index.md"
    if path == "README.md":
        return "about.md"
    if path in ASIDE:
        return ASIDE[path]
    shown = path.removeprefix("docs/")
    folder, name = posixpath.split(shown)
    return posixpath.join(folder, "index.md") if name == "README.md" else shown


def write(source: Path, generated: Mapping[str, str]) -> None:
    """Write the sources of the site: every page, and the pictures that they show.

    Args:
        source: the folder to write them into.
        generated: the text of pages that are no files, by their paths.
    """
    for page in listed():
        text = generated.get(page) or (ROOT / page).read_text("utf-8")
        text = _with_navigation(page, _on_the_site(page, text, source))
        target = source / place(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _with_navigation(page: str, text: str) -> str:
    """A page with the lists that Sphinx makes the navigation of."""
    if page == INDEX:
        lists = (_toctree(page, pages, title) for title, pages in parts().items())
        return text + "".join(lists)
    return text + _toctree(page, below(page)) if below(page) else text


def _toctree(page: str, pages: Sequence[str], title: str = "") -> str:
    above = posixpath.dirname(place(page)) or "."
    names = [_entry(each, above) for each in pages]
    lines = [":hidden:", *([f":caption: {title}"] if title else ()), "", *names]
    return "\n```{toctree}\n" + "\n".join(lines) + "\n```\n"


def _entry(page: str, above: str) -> str:
    """A line of the navigation: the page has its own title, but for the project's README."""
    name = posixpath.relpath(place(page).removesuffix(".md"), above)
    return f"What Polynya is <{name}>" if page == "README.md" else name


def _on_the_site(page: str, text: str, source: Path) -> str:
    """A page's text with links of the site."""
    parts = list(_outside_of_code(text))
    return "".join(
        part if is_code else _LINK.sub(lambda link: _link(page, link, source), part)
        for part, is_code in parts
    )


def _outside_of_code(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text, and whether each is a block of code."""
    end = 0
    for block in _FENCE.finditer(text):
        yield text[end : block.start()], False
        yield block[0], True
        end = block.end()
    yield text[end:], False


def _link(page: str, link: re.Match[str], source: Path) -> str:
    mark, words, target = link.groups()
    words = _LINK.sub(lambda inner: _link(page, inner, source), words)
    address = _address(page, target, source)
    return words if address is None else f"{mark}[{words}]({address})"


def _address(page: str, target: str, source: Path) -> str | None:
    """Where a link of a page leads on the site or out of it; None for a file that is no page."""
    if _ELSEWHERE.match(target):
        return target
    path, anchor_mark, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    if (ROOT / file).is_dir():
        file = posixpath.join(file, "README.md")
    if Path(file).suffix in PICTURES:
        copy = source / place(file)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, copy)
    elif file not in {*listed(), *NOT_PAGES}:
        return None
    above = posixpath.dirname(place(page)) or "."
    return posixpath.relpath(place(file), above) + anchor_mark + anchor
