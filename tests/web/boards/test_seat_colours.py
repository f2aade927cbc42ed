"""The colours of seats can be told apart without green and red."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from tests.folders import ROOT

STATIC = ROOT / "web" / "polynya_web" / "static"
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
"""Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB."""
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)
DISTINCT = 20
"""A difference of colours (CIE 1976) that is seen at a glance."""

Triple = tuple[float, float, float]


def product(matrix: tuple[Triple, ...], vector: Triple) -> Triple:
    first, second, third = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return first, second, third


def linear(channel: int) -> float:
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def seen(colour: str) -> Triple:
    """A colour as a deuteranope sees it: L*a*b*."""
    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    dimmed = product(DEUTERANOPIA, (red, green, blue))
    clipped = tuple(min(1.0, max(0.0, channel)) for channel in dimmed)
    ratios = (a / b for a, b in zip(product(XYZ, clipped), WHITE, strict=True))  # type: ignore[arg-type]
    x, y, z = (one ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: str, other: str) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(seen(one), seen(other), strict=True)) ** 0.5)


def pieces() -> list[str]:
    """The colours of the first four seats on the boards."""
    style = (STATIC / "boards.css").read_text()
    return [match[1] for match in re.finditer(r"\.seat-[0-3] { --piece: (#\w{6})", style)]


def marks(scheme: int) -> list[str]:
    """The same on the pages, in light (0) or dark (1) colours."""
    style = (STATIC / "style.css").read_text()
    found = re.finditer(r"--seat-[0-3]: light-dark\((#\w{6}), (#\w{6})\)", style)
    return [match[1 + scheme] for match in found]


@pytest.mark.parametrize("colours", [pieces(), marks(0), marks(1)], ids=["board", "light", "dark"])
def test_first_four_seats_differ_to_a_deuteranope(colours: list[str]) -> None:
    assert len(colours) == 4
    assert min(difference(one, other) for one, other in combinations(colours, 2)) >= DISTINCT


def test_last_move_is_marked_in_no_seats_colour() -> None:
    [last] = re.findall(r"--last: (#\w{6})", (STATIC / "boards.css").read_text())
    assert min(difference(last, one) for one in pieces() if one != pieces()[1]) >= DISTINCT
    assert difference(last, pieces()[1]) > 0
