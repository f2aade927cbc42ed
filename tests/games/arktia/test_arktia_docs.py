"""The rules page of Arktia: its examples run, and its pictures are the ones that the code draws."""

from __future__ import annotations

import doctest
import json
import re
import runpy

from tests.folders import DOCS

RULES = DOCS / "rules"
PAGE = (RULES / "arktia.md").read_text(encoding="utf-8")


def blocks(language: str) -> str:
    """The page's code blocks of a language, one after the other."""
    return "".join(re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_the_examples_give_what_the_page_says() -> None:
    names = {"position": json.loads(blocks("json"))}
    test = doctest.DocTestParser().get_doctest(blocks("python"), names, "arktia.md", None, None)
    report: list[str] = []
    result = doctest.DocTestRunner().run(test, out=report.append)
    assert (result.failed, "".join(report)) == (0, "")
    assert result.attempted > 10


def test_the_pictures_are_current() -> None:
    pictures = runpy.run_path(str(RULES / "draw_arktia.py"))["pictures"]()
    drawn = {name: (RULES / name).read_text(encoding="utf-8") for name in pictures}
    assert drawn == pictures


def test_every_picture_is_on_the_page() -> None:
    pictures = {path.name for path in RULES.glob("arktia-*.svg")}
    assert set(re.findall(r"\((arktia-[a-z0-9-]+\.svg)\)", PAGE)) == pictures
