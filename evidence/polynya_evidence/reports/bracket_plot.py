"""Draws a tournament's bracket for a report, with the same boxes as the pages have."""

from __future__ import annotations

from polynya_evidence.reports.bracket_drawing import Box, Drawing, Place, draw
from polynya_evidence.reports.contents import Report
from polynya_evidence.reports.svg import Drawing as Svg
from polynya_protocol.errors import printable

BRACKET_TITLE = "Bracket"
_MARGIN = 2.0
_NAME, _POINTS = 12.0, 10.0


def bracket_plot(report: Report) -> bytes:
    """The drawing as SVG; only of a report that has a bracket."""
    rounds, bracket = report.standings.rounds, report.bracket
    if bracket is None:
        return b""
    winners = [row.name for row in report.standings.rows if row.figures.get("out") == "winner"]
    laid = draw(bracket, report.seeds, rounds, {}, "".join(winners))
    svg = Svg(laid.width + 2 * _MARGIN, laid.height + 2 * _MARGIN, BRACKET_TITLE)
    for points, gone in laid.lines:
        corners = (point.split(",") for point in points.split())
        path = [(float(x) + _MARGIN, float(y) + _MARGIN) for x, y in corners]
        svg.path(path, "c0" if gone else "grid", stroke_width="2")
    for heading in laid.headings:
        title = heading.name[:1].upper() + heading.name[1:]
        svg.text((heading.x + _MARGIN, heading.y - 4.0 + _MARGIN), title, kind="soft")
    for box in laid.boxes:
        _box(svg, laid, box)
    if laid.champion is not None:
        _frame(svg, laid.champion.x, laid.champion.y, laid.line_height, laid.box_width, "axis")
        _name(svg, laid, laid.champion.x, laid.champion.y, laid.champion.name, won=True)
    return svg.encoded()


def _box(svg: Svg, laid: Drawing, box: Box) -> None:
    _frame(svg, box.x, box.y, box.height, laid.box_width, "axis")
    for line, place in enumerate(box.places):
        y = box.y + line * laid.line_height
        _name(svg, laid, box.x, y, _words(place), won=place.won)
        if place.points is not None and box.note != "bye":
            right = (box.x + laid.box_width - _POINTS, y + laid.line_height / 2 + _MARGIN)
            kind = "number won" if place.won else "number"
            svg.text(right, f"{place.points:g}", anchor="end", kind=kind)
    if box.note:
        below = (box.x + _NAME, box.y + box.height + 9.0 + _MARGIN)
        svg.text(below, box.note, kind="soft")


def _words(place: Place) -> str:
    if place.name or not place.loser_of:
        return printable(place.name)
    number = f", no. {place.loser_of_number}" if place.loser_of_number else ""
    return f"loser of {place.loser_of}{number}"


def _name(svg: Svg, laid: Drawing, x: int, y: int, name: str, *, won: bool) -> None:
    middle = y + laid.line_height / 2 + _MARGIN
    most = laid.box_width - _NAME - 4 * _POINTS
    svg.text((x + _NAME, middle), printable(name), kind="won" if won else "", most=most)


def _frame(svg: Svg, x: int, y: int, height: int, width: int, kind: str) -> None:
    left, top = x + _MARGIN, y + _MARGIN
    right, bottom = left + width, top + height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    svg.path(corners, kind)
