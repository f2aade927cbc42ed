"""Renders a report as one HTML file that loads nothing: it embeds style and drawings, no scripts.

The page is built as a tree, so that text from bots can only become text; and its policy lets a
browser apply the one style in it, known by its hash, show the images in it, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from importlib import resources
from xml.etree import ElementTree as Tree

from polynya_evidence.reports.bracket_plot import BRACKET_TITLE, bracket_plot
from polynya_evidence.reports.contents import Report
from polynya_evidence.reports.plots import (
    HISTORY_TITLE,
    MOST_LINES,
    NARROW,
    RATINGS_TITLE,
    WIDE,
    history_plot,
    ratings_plot,
)
from polynya_evidence.reports.tables import (
    Table,
    draws,
    headline,
    narrowing_sentence,
    sandbox_sentence,
    tables,
    winner_sentence,
)
from polynya_protocol.errors import printable

_NARROW_WINDOW = 620
_NOTE = (
    "Ratings are maximum-likelihood estimates on the Elo scale from all results together; 1500 is "
    "the mean of the field or, where results part it, of its largest group; a difference of 400 "
    "stands for ten wins to each loss. Intervals are of 95 %, and take the matches that share a "
    "set-up as one observation. Online ratings are those that are kept match by match."
)


def page(report: Report, bundle: bytes | None = None) -> str:
    """The file's text; with a bundle in it, if there is one, to be saved by a click."""
    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    html = Tree.Element("html", lang="en")
    _head(html, report.standings.tournament, style)
    body = Tree.SubElement(html, "body")
    _text(body, "h1", report.standings.tournament)
    if winner := winner_sentence(report.standings):
        _text(body, "p", winner).set("class", "winner")
    for sentence in (
        headline(report),
        report.standings.verdict,
        sandbox_sentence(report),
        *report.standings.unplayed,
    ):
        if sentence:
            _text(body, "p", str(sentence))
    if report.bracket is not None:
        _text(body, "h2", BRACKET_TITLE)
        around = Tree.SubElement(body, "div", {"class": "wide bracket"})
        Tree.SubElement(around, "img", alt=BRACKET_TITLE, src=_data(bracket_plot(report)))
    first, *others = tables(report)
    _table(body, first)
    if report.analysis.bots:
        _text(body, "h2", "Ratings")
        _plot(body, RATINGS_TITLE, lambda width: ratings_plot(report.analysis.bots, width))
    _text(body, "p", _NOTE)
    _text(body, "p", draws(report.analysis))
    if gain := narrowing_sentence(report):
        _text(body, "p", gain)
    _history(body, report)
    for table in others:
        if table.rows:
            _table(body, table)
    _replays(body, report.standings.tournament, bundle)
    return "<!DOCTYPE html>\n" + Tree.tostring(html, encoding="unicode", method="html") + "\n"


def _head(html: Tree.Element, title: str, style: str) -> None:
    head = Tree.SubElement(html, "head")
    known = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{known}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    Tree.SubElement(head, "meta", charset="utf-8")
    Tree.SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    Tree.SubElement(head, "meta", name="referrer", content="no-referrer")
    Tree.SubElement(head, "meta", name="viewport", content="width=device-width")
    _text(head, "title", title)
    Tree.SubElement(head, "style").text = style


def _history(body: Tree.Element, report: Report) -> None:
    """Online ratings over time, if any match is rated."""
    if not any(pairing.online for pairing in report.pairings):
        return
    names = [row.name for row in report.standings.rows]
    more = f" (the first {MOST_LINES} bots)" if len(names) > MOST_LINES else ""
    _text(body, "h2", HISTORY_TITLE + more)
    _plot(body, HISTORY_TITLE, lambda width: history_plot(names, report.pairings, width))


def _replays(body: Tree.Element, tournament: str, bundle: bytes | None) -> None:
    _text(body, "h2", "Replays")
    if bundle is None:
        _text(body, "p", "They are not in this file.")
        return
    data = f"data:application/zip;base64,{base64.b64encode(bundle).decode()}"
    paragraph = Tree.SubElement(body, "p")
    link = Tree.SubElement(paragraph, "a", href=data, download=f"{tournament}.zip")
    link.text = f"{tournament}.zip ({len(bundle) / 1e6:.1f} MB)"
    link.tail = (
        ", in this file, has the replay of every match, all results, and a signed manifest of "
        "both. 'polynya tournament verify', given it or this page, plays all of it again."
    )


def _plot(body: Tree.Element, title: str, draw: Callable[[float], bytes]) -> None:
    """A drawing as an image: its styles are its own, and the page's policy does not touch them.

    A narrow window shows the narrow one; else its text would be as small as the window.
    """
    picture = Tree.SubElement(body, "picture")
    narrow = {"media": f"(max-width: {_NARROW_WINDOW}px)", "srcset": _data(draw(NARROW))}
    Tree.SubElement(picture, "source", narrow)
    Tree.SubElement(picture, "img", alt=title, src=_data(draw(WIDE)))


def _data(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def _table(body: Tree.Element, table: Table) -> None:
    """A table, folded away if it is long."""
    if table.long:
        body = Tree.SubElement(body, "details")
    _text(body, "summary" if table.long else "h2", table.title)
    around = Tree.SubElement(body, "div", {"class": "wide"})
    element = Tree.SubElement(around, "table")
    heading = Tree.SubElement(Tree.SubElement(element, "thead"), "tr")
    for column in table.columns:
        _cell(heading, "th", column, column.removeprefix(">"))
    rows = Tree.SubElement(element, "tbody")
    for row in table.rows:
        line = Tree.SubElement(rows, "tr")
        for column, cell in zip(table.columns, row, strict=True):
            _cell(line, "td", column, "" if cell is None else str(cell))
    if table.note:
        _text(body, "p", table.note)


def _cell(line: Tree.Element, tag: str, column: str, text: str) -> None:
    cell = _text(line, tag, text)
    if column.startswith(">"):
        cell.set("class", "right")


def _text(parent: Tree.Element, tag: str, text: str) -> Tree.Element:
    element = Tree.SubElement(parent, tag)
    element.text = printable(text, limit=10_000)
    return element
