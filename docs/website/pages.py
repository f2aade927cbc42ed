"""The pages of the site: the Markdown files of the project, with links that hold on the site.

A page stands on the site where it stands in the project, but for ``docs/``, which is the top. A
link to a file that is no page, such as a program, stays as text.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
INDEX = "docs/website/index.md"
NOT_PAGES = {"docs/README.md"}
"""What the first page and the navigation say already."""
PICTURES = {".png", ".svg"}

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z]+:|#")
_FENCE = re.compile(r"^```.*?^```[^\n]*\n", re.MULTILINE | re.DOTALL)


@cache
def navigation() -> Mapping[str, Any]:
    """The file ``navigation.toml``."""
    return tomllib.loads(Path(__file__).with_name("navigation.toml").read_text("utf-8"))


def listed() -> Sequence[str]:
    """The paths of all pages in the project, in the order of the navigation.

    Pages below ``docs/design/`` stand in the order of its README, which lists them.
    """
    pages = [INDEX]
    for part in navigation()["part"]:
        for page in part["pages"]:
            pages += [page, *below(page)]
    return list(dict.fromkeys(pages))


def below(page: str) -> Sequence[str]:
    """The pages that stand below a page in the navigation."""
    if page == "docs/design/README.md":
        names = re.findall(r"^\| \[([\w-]+\.md)\]", (ROOT / page).read_text("utf-8"), re.MULTILINE)
        return [f"docs/design/{name}" for name in names]
    found: Sequence[str] = navigation()["below"].get(page, ())
    return found


def place(path: str) -> str:
    """Where a file of the project stands on the site."""
    if path in {INDEX, *NOT_PAGES}:
        return "index.md"
    if path == "README.md":
        return "tour.md"
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
        parts = [(part["title"], part["pages"]) for part in navigation()["part"]]
        return text + "".join(_toctree(page, pages, title) for title, pages in parts)
    return text + _toctree(page, below(page)) if below(page) else text


def _toctree(page: str, pages: Sequence[str], title: str = "") -> str:
    above = posixpath.dirname(place(page)) or "."
    names = [_entry(each, above) for each in pages]
    lines = [":hidden:", *([f":caption: {title}"] if title else ()), "", *names]
    return "\n```{toctree}\n" + "\n".join(lines) + "\n```\n"


def _entry(page: str, above: str) -> str:
    """A line of the navigation: the page has its own title, but for the project's README."""
    name = posixpath.relpath(place(page).removesuffix(".md"), above)
    return f"A tour <{name}>" if page == "README.md" else name


def _on_the_site(page: str, text: str, source: Path) -> str:
    """A page's text with links of the site, without diagrams that only some sites draw."""
    parts = list(_outside_of_code(text))
    return "".join(
        part if is_code else _LINK.sub(lambda link: _link(page, link, source), part)
        for part, is_code in parts
        if not part.startswith("```mermaid")
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
    """Where a link of a page leads on the site or out of it; None for what is no page."""
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
