"""The rules page of Packeis: its examples run, and its pictures are those that the code draws."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs" / "rules"


def test_the_examples_give_what_the_page_says() -> None:
    page = (DOCS / "packeis.md").read_text(encoding="utf-8")
    examples = "".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "packeis.md", None, None)
    report: list[str] = []
    result = doctest.DocTestRunner().run(test, out=report.append)
    assert (result.failed, "".join(report)) == (0, "")
    assert result.attempted > 20


PICTURES = runpy.run_path(str(DOCS / "draw_packeis.py"))["PICTURES"]


def test_the_page_shows_every_picture() -> None:
    page = (DOCS / "packeis.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\((packeis-\w+\.svg)\)", page)) == set(PICTURES)


def test_the_pictures_are_current() -> None:
    drawn = {name: (DOCS / name).read_text(encoding="utf-8") for name in PICTURES}
    assert drawn == {name: draw() for name, draw in PICTURES.items()}
