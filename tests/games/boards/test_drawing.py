"""A drawing is plain shapes: anything else is refused, and the message names it."""

from __future__ import annotations

import pytest

from polynya_games.boards import Drawing
from polynya_games.errors import InvalidBoard

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">'


def drawing(inner: str) -> Drawing:
    return Drawing(f"{HEAD}{inner}</svg>", "a board")


GOOD = """
<title>Two stones</title>
<g class="seat-1 tone-gold" transform="translate(5 5) rotate(-45, 1, 2) scale(.5)" opacity="0.5">
  <path d="M0 0 L10,10 a1 1 0 0 1 2e1-3.5 Z" fill="currentColor" stroke="#fff" stroke-width="2"/>
  <rect x="1" y="-2.5" width="10" height="4" rx="1" ry="1" stroke-dasharray="4 2"/>
  <circle cx="5" cy="5" r="3" fill="none" stroke="rebeccapurple"/>
  <ellipse cx="5" cy="5" rx="3" ry="1.5" fill="#12ab9F"/>
  <line x1="0" y1="0" x2="9" y2="9" stroke-linecap="round"/>
  <polyline points="0,0 5,5 9,0" stroke-linejoin="bevel" fill-rule="evenodd"/>
  <polygon points="0 0 5 5 9 0"/>
  <text x="5" y="5" font-size="8" font-weight="bold" text-anchor="middle">a &amp; b
    <tspan dx="1" dominant-baseline="central">ü</tspan></text>
</g>
"""


def test_shapes_and_text_pass_unchanged() -> None:
    assert drawing(GOOD).svg == f"{HEAD}{GOOD}</svg>"


REFUSED = {
    "<script>alert(1)</script>": 'the element "script"',
    "<style>*{fill:red}</style>": 'the element "style"',
    "<foreignObject><p>x</p></foreignObject>": 'the element "foreignObject"',
    '<image href="http://example.org/a.png"/>': 'the element "image"',
    '<use href="#a"/>': 'the element "use"',
    '<a href="javascript:alert(1)"><circle r="1"/></a>': 'the element "a"',
    "<animate/>": 'the element "animate"',
    "<svg/>": 'the element "svg"',
    "<SCRIPT/>": 'the element "SCRIPT"',
    '<x:script xmlns:x="http://www.w3.org/2000/svg"/>': 'the element "x:script"',
    '<g xmlns="http://www.w3.org/1999/xhtml"/>': 'the attribute "xmlns" of g',
    '<g xmlns:x="http://www.w3.org/1999/xlink"/>': 'the attribute "xmlns:x" of g',
    '<circle onload="alert(1)"/>': 'the attribute "onload" of circle',
    '<circle ONLOAD="alert(1)"/>': 'the attribute "ONLOAD" of circle',
    '<circle style="fill:url(http://example.org)"/>': 'the attribute "style" of circle',
    '<circle id="viewer"/>': 'the attribute "id" of circle',
    '<circle href="x"/>': 'the attribute "href" of circle',
    '<circle fill="url(#a)"/>': 'fill="url(#a)" of circle',
    '<circle fill="URL(http://example.org/a)"/>': "fill=",
    '<circle stroke="&#117;rl(http://example.org/a)"/>': 'stroke="url(http',
    '<circle class="seat-0 viewer"/>': 'class="seat-0 viewer" of circle',
    '<circle class="seat-8"/>': 'class="seat-8" of circle',
    '<circle r="1px"/>': 'r="1px" of circle',
    '<circle r="expression(1)"/>': "r=",
    '<circle r="٣"/>': "r=",
    '<path d="M0 0 url(x)"/>': "d=",
    '<g transform="translate(1) url(x)"/>': "transform=",
    "<!-- a -->": "a comment",
    "<?xml-stylesheet href='a.css'?>": "a processing instruction",
    "<text><![CDATA[<script>]]></text>": "a CDATA section",
    "<g>words</g>": "text within g",
    "<text><circle/></text>": "an element circle within text",
    "<title><tspan/><g/></title>": "an element g within title",
    "<text>a\u202eb</text>": "a character that is not printable",
    "<g>" * 40 + "</g>" * 40: "more than 32 elements within each other",
}


@pytest.mark.parametrize("inner", REFUSED)
def test_anything_but_shapes_is_refused(inner: str) -> None:
    with pytest.raises(InvalidBoard) as refused:
        drawing(inner)
    assert REFUSED[inner] in str(refused.value)


WHOLE = {
    "": "1 to 100000 bytes",
    "words": "not well-formed",
    f"{HEAD}<g></svg>": "not well-formed",
    f"{HEAD}</svg>{HEAD}</svg>": "not well-formed",
    f"{HEAD}&nbsp;</svg>": "not well-formed",
    f'<?xml version="1.0"?>{HEAD}</svg>': "an XML declaration",
    f'<!DOCTYPE svg [<!ENTITY a "b">]>{HEAD}&a;</svg>': "a document type",
    f'<!DOCTYPE svg SYSTEM "file:///etc/passwd">{HEAD}</svg>': "a document type",
    '<svg viewBox="0 0 1 1"></svg>': "no element svg with xmlns",
    '<html xmlns="http://www.w3.org/1999/xhtml"></html>': "no element svg with xmlns",
    '<svg xmlns="http://www.w3.org/2000/svg"/>': "a viewBox of four numbers",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1"/>': "a viewBox of four numbers",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1e9 1"/>': "within a million",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1e999 1"/>': "within a million",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 nan 1"/>': "a viewBox of four numbers",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 1"/>': "8 times as long",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 -1 1"/>': "8 times as long",
    f'{HEAD[:-1]} width="100%"></svg>': "no width and height of its own",
    f"{HEAD}<text>{'x' * 100_000}</text></svg>": "1 to 100000 bytes",
    f"{HEAD}<text>\ud800</text></svg>": "no text of Unicode characters",
}


@pytest.mark.parametrize("svg", WHOLE, ids=range(len(WHOLE)))
def test_only_a_small_svg_element_with_a_viewbox_is_a_drawing(svg: str) -> None:
    with pytest.raises(InvalidBoard) as refused:
        Drawing(svg)
    assert WHOLE[svg] in str(refused.value)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("r", "1" * 90_000 + "x"),
        ("points", "1 " * 45_000 + "x"),
        ("points", " " * 90_000 + "x"),
        ("transform", "scale(" + "1," * 40_000 + "x"),
        ("transform", "scale(1) " * 9_000 + "x"),
    ],
)
def test_a_hostile_value_is_refused_in_linear_time(attribute: str, value: str) -> None:
    with pytest.raises(InvalidBoard):
        drawing(f'<circle {attribute}="{value}"/>')
