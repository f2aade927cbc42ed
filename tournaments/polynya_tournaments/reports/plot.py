"""Ratings with their intervals as a drawing: SVG elements that take their colours from the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree as Tree

from polynya_tournaments.statistics import BotEstimate

_LINE, _LEFT, _WIDTH, _MARGIN = 26, 260, 900, 40
_STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000)
"""Distances of the scale's marks, in Elo."""


def ratings_plot(bots: Sequence[BotEstimate]) -> Tree.Element:
    """A line for each bot: a dot for its rating, a bar for the 95 % interval."""
    low = min(bot.rating.low for bot in bots)
    high = max(bot.rating.high for bot in bots)
    step = next((each for each in _STEPS if (high - low) / each <= 8), _STEPS[-1])
    first, last = math.floor(low / step) * step, math.ceil(high / step) * step
    scale = (_WIDTH - _LEFT - _MARGIN) / (last - first)
    height = _LINE * (len(bots) + 1)
    svg = Tree.Element(
        "svg", viewBox=f"0 0 {_WIDTH} {height}", role="img", xmlns="http://www.w3.org/2000/svg"
    )
    Tree.SubElement(svg, "title").text = "Ratings with 95 % intervals"
    for mark in range(first, last + 1, step):
        x = _LEFT + (mark - first) * scale
        _line(svg, "grid", x, 0, x, height - _LINE)
        _text(svg, "mark", x, height - 8, str(mark))
    for number, bot in enumerate(bots):
        y = _LINE * (number + 0.5)
        ends = [_LEFT + (x - first) * scale for x in (bot.rating.low, bot.rating.high)]
        _text(svg, "name", _LEFT - 14, y + 5, bot.name)
        _line(svg, "interval", ends[0], y, ends[1], y)
        x = _LEFT + (bot.rating.value - first) * scale
        Tree.SubElement(svg, "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5"})
    return svg


def _line(svg: Tree.Element, kind: str, x1: float, y1: float, x2: float, y2: float) -> None:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    attributes = {name: f"{value:.1f}" for name, value in ends.items()}
    Tree.SubElement(svg, "line", {"class": kind, **attributes})


def _text(svg: Tree.Element, kind: str, x: float, y: float, text: str) -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}"}
    Tree.SubElement(svg, "text", {"class": kind, **place}).text = text
