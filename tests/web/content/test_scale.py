"""Type and spaces have the sizes of one scale: tokens at the head of ``style.css``."""

from __future__ import annotations

import re

import pytest
from tests.folders import ROOT

from polynya_web.http.comments import style_without_comments

STATIC = ROOT / "web" / "polynya_web" / "static"
SHEETS = {path.name: style_without_comments(path.read_text()) for path in STATIC.glob("*.css")}
SCALED = re.compile(
    r"(?<![\w-])((?:font|font-size|line-height|(?:padding|margin)(?:-\w+)*|(?:row-|column-)?gap)"
    r":\s*[^;}]+)"
)
SIZE = re.compile(r"(?<![\w.-])-?\d*\.?\d+(?:[a-z]{2,4}\b|%)")
BARE_LEADING = re.compile(r"^line-height:\s*[\d.]|/\s*[\d.]+\s")
HAIRLINE = {"1px", "-1px"}
TOKEN = re.compile(r"--(?:type|space|leading|far|drawn)-\w+")


def others(sheet: str) -> list[str]:
    """The declarations whose sizes are no tokens."""
    return [
        found[1]
        for found in SCALED.finditer(sheet)
        if set(SIZE.findall(found[1])) - HAIRLINE or BARE_LEADING.search(found[1])
    ]


@pytest.mark.parametrize("name", sorted(SHEETS))
def test_sizes_of_type_and_spaces_are_tokens(name: str) -> None:
    """Write ``var(--space-4)`` or ``var(--type-3)``; the scale is in ``style.css``."""
    assert others(SHEETS[name]) == []


def test_each_token_is_on_the_scale_and_used() -> None:
    used = {token for sheet in SHEETS.values() for token in TOKEN.findall(sheet)}
    declared = set(re.findall(rf"({TOKEN.pattern}):", SHEETS["style.css"]))
    calls = {
        token
        for sheet in SHEETS.values()
        for token in re.findall(rf"var\(({TOKEN.pattern})\)", sheet)
    }
    assert used == declared == calls


@pytest.mark.parametrize(
    "declaration",
    [
        "padding: 0.4rem",
        "margin: 0 -3px",
        "gap: calc(1vw + var(--space-1))",
        "font-size: 90%",
        "font: 600 var(--type-6)/1.3 var(--mono)",
        "line-height: 1.4",
        "margin-inline-start: 2em",
    ],
)
def test_other_sizes_are_found(declaration: str) -> None:
    assert others(f"a {{ color: red; {declaration}; }}") == [declaration]


@pytest.mark.parametrize(
    "declaration",
    ["margin: 0 auto -1px", "gap: calc(-1 * var(--space-2))", "font: inherit", "width: 3px"],
)
def test_sizes_of_the_scale_are_not(declaration: str) -> None:
    assert others(f"a {{ {declaration}; }}") == []
