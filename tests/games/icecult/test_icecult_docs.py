"""The rules page of Ice Cult: its examples run, its pictures are those that the code draws."""

from __future__ import annotations

import doctest
import re
import runpy

from tests.folders import DOCS

RULES = DOCS / "rules"
PAGE = (RULES / "icecult.md").read_text(encoding="utf-8")
PICTURES = runpy.run_path(str(RULES / "draw_icecult.py"))["PICTURES"]


def test_the_examples_give_what_the_page_says() -> None:
    examples = "".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "icecult.md", None, None)
    report: list[str] = []
    result = doctest.DocTestRunner().run(test, out=report.append)
    assert (result.failed, "".join(report)) == (0, "")
    assert result.attempted > 30


def test_the_page_shows_every_picture() -> None:
    assert set(re.findall(r"\((icecult-\w+\.svg)\)", PAGE)) == set(PICTURES)


def test_the_pictures_are_current() -> None:
    drawn = {name: (RULES / name).read_text(encoding="utf-8") for name in PICTURES}
    assert drawn == {name: draw() for name, draw in PICTURES.items()}
