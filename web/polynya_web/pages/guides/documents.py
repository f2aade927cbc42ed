"""The rules of each game and the documents for authors of bots, as pages.

They are those of the folder ``docs``, so the rules on the site are the rules in the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.extras import shipped
from polynya_common.reasons import Reason
from polynya_games import Game
from polynya_games.refusals import ENGLISH
from polynya_web.content.texts import texts_for
from polynya_web.http.requests import Refused
from polynya_web.pages.rendering import ENVIRONMENT, page
from polynya_web.play.match_request import games
from polynya_web.site import site_of

_FOR_AUTHORS = (
    "write-a-bot.md",
    "protocol.md",
    "train-a-bot.md",
    "uploads.md",
)
PICTURES = "/documents/pictures/"
"""Address of the rules' pictures."""
_ELSEWHERE = re.compile(r"https?://")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_FRAME = '<div class="table" tabindex="0">'


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a page shows it.

    Attributes:
        title: its first heading, as text.
        markup: all that follows that heading.
        sections: its headings of the second level: the anchor and the text of each.
        picture: the address of its first picture, empty without one.
        language: the language that it is written in.
    """

    title: str
    markup: Markup
    sections: Sequence[tuple[str, str]]
    picture: str
    language: str = ENGLISH


def folder() -> Path:
    """The folder with the documents: in the wheel, or in a checkout."""
    return shipped("documents", "docs")


def _documents() -> Mapping[str, str]:
    """The addresses of the documents by their paths: the rules that there are, and for authors."""
    rules = sorted(path.stem for path in folder().glob("rules/*.md"))
    return {f"rules/{name}.md": f"/rules/{name}" for name in rules} | {
        name: f"/documents/{name.removesuffix('.md')}" for name in _FOR_AUTHORS
    }


DOCUMENTS = _documents()
"""The addresses of the documents, by their paths in ``docs``."""


@cache
def pictures() -> Mapping[str, bytes]:
    """The pictures of the rules by name."""
    return {path.name: path.read_bytes() for path in sorted(folder().glob("rules/*.svg"))}


@cache
def document(path: str, base: str = "") -> Document:
    """A document of :data:`DOCUMENTS`.

    Links lead to other documents of the site, or out of it; what links to another file of the
    repository stays as text.

    Args:
        path: in ``docs``.
        base: the path under which the pages stand.

    Raises:
        OSError: it cannot be read.
    """
    text = (folder() / path).read_text("utf-8")
    return _rendered(text, posixpath.dirname(path), base, "")


@cache
def rules_from(game: Game, language: str, base: str = "") -> Document | None:
    """The rules that a game brings, in a language or else in English; None if it brings none.

    Pictures are left out: a game brings text only. HTML in the text is shown as text.

    Args:
        game: the game.
        language: of the reader.
        base: the path under which the pages stand.
    """
    rules = game.rules
    written = next((one for one in (language, ENGLISH, *rules) if one in rules), None)
    if written is None:
        return None
    return replace(_rendered(rules[written], None, base, game.title), language=written)


def has_rules(name: str) -> bool:
    """Whether the page "Rules" has the rules of a game; a match's game may not be installed."""
    if f"rules/{name}.md" in DOCUMENTS:
        return True
    return any(game.name == name and game.rules for game in games())


ENVIRONMENT.tests["explained"] = has_rules


def _rendered(text: str, above: str | None, base: str, title: str) -> Document:
    """A document of this distribution, in the folder ``above``, or of another: without one."""
    reader = _reader()
    tokens = reader.parse(text)
    for token in tokens:
        if token.children is not None:
            token.children = [
                child
                for child in _on_the_site(token.children, above or "", base)
                if above is not None or child.type != "image"
            ]
    headings = list(_name_headings(tokens))
    after = 0
    if headings and tokens[0].type == "heading_open":
        title, after = headings[0][2], tokens.index(_closing(tokens)) + 1
    _leave_empty_headers(tokens)
    return Document(
        title,
        Markup(reader.renderer.render(tokens[after:], reader.options, {})),  # noqa: S704 -- no HTML of a document passes
        [(anchor, text) for level, anchor, text in headings if level == "h2"],
        next(_pictures(tokens), ""),
    )


def _on_the_site(tokens: Sequence[Token], above: str, base: str) -> Iterator[Token]:
    """The tokens of a line with addresses of the site; without links that lead nowhere on it."""
    leads_nowhere = False
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrs["href"]), above, base)
            leads_nowhere = address is None
            token.attrs["href"] = address or ""
        elif token.type == "link_close" and leads_nowhere:
            leads_nowhere = False
            continue
        elif token.type == "image":
            token.attrs["src"] = base + PICTURES + posixpath.basename(str(token.attrs["src"]))
            token.attrs["loading"] = "lazy"
        if not (token.type == "link_open" and leads_nowhere):
            yield token


def _pictures(tokens: Sequence[Token]) -> Iterator[str]:
    """The addresses of the pictures."""
    for token in tokens:
        if token.type == "image":
            yield str(token.attrs["src"])
        yield from _pictures(token.children or ())


def _address(target: str, above: str, base: str) -> str | None:
    """A link's address on the site or elsewhere; None if it has no target."""
    if target.startswith("#") or _ELSEWHERE.match(target):
        return target
    path, mark, anchor = target.partition("#")
    found = posixpath.normpath(posixpath.join(above, path))
    if found == "rules":
        return f"{base}/rules"
    return None if found not in DOCUMENTS else f"{base}{DOCUMENTS[found]}{mark}{anchor}"


def _name_headings(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """Give each heading the anchor that links to it use; its level, anchor and text."""
    taken: dict[str, int] = {}
    for opening, line in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(one.content for one in line.children or ())
            anchor = _NOT_IN_ANCHORS.sub("", text.lower()).replace(" ", "-")
            times = taken[anchor] = taken.get(anchor, -1) + 1
            anchor += f"-{times}" if times else ""
            opening.attrs["id"] = anchor
            yield opening.tag, anchor, text


def _closing(tokens: Sequence[Token]) -> Token:
    return next(token for token in tokens if token.type == "heading_close")


def _leave_empty_headers(tokens: Sequence[Token]) -> None:
    """Drop a table's empty header."""
    for opening, line, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not line.content:
            opening.tag = closing.tag = "td"


def _reader() -> MarkdownIt:
    """The Markdown renderer; wide tables and programs scroll sideways."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    renderer = cast("RendererHTML", reader.renderer)
    draw_token, draw_program = renderer.renderToken, renderer.fence
    reader.add_render_rule("table_open", lambda _, *place: _FRAME + draw_token(*place))
    reader.add_render_rule("table_close", lambda _, *place: draw_token(*place) + "</div>")
    reader.add_render_rule("fence", lambda _, *place: f"{_FRAME}{draw_program(*place)}</div>")
    return reader


_A_DAY = "public, max-age=86400"


async def rules(request: Request) -> Response:
    """The games of this server, each with its rules if there is a document of them."""
    site = site_of(request)
    language, base = texts_for(request).language, site.settings.base
    found = {
        game.name: await site.ask(document, path, base)
        if (path := f"rules/{game.name}.md") in DOCUMENTS
        else await site.ask(rules_from, game, language, base)
        for game in games()
    }
    documents = {name: rules for name, rules in found.items() if rules is not None}
    return page(request, "guides/rules.html", section="rules", games=games(), documents=documents)


async def rules_of(request: Request) -> Response:
    """The rules of a game."""
    name = request.path_params["name"]
    game = next((game for game in games() if game.name == name), None)
    if game is None or f"rules/{name}.md" in DOCUMENTS:
        return await _show(request, f"rules/{name}.md", "rules")
    site = site_of(request)
    language = texts_for(request).language
    found = await site.ask(rules_from, game, language, site.settings.base)
    if found is None:
        raise Refused(404, Reason.of("no_such_document"))
    return page(request, "guides/document.html", section="rules", document=found)


async def for_authors(request: Request) -> Response:
    """A document for authors of bots."""
    return await _show(request, f"{request.path_params['name']}.md", "connect")


async def _show(request: Request, path: str, section: str) -> Response:
    if path not in DOCUMENTS:
        raise Refused(404, Reason.of("no_such_document"))
    site = site_of(request)
    found = await site.ask(document, path, site.settings.base)
    return page(request, "guides/document.html", section=section, document=found)


async def api(request: Request) -> Response:
    """The documentation of the API for people: Swagger UI, which asks for its document."""
    return page(request, "guides/api.html")


async def picture(request: Request) -> Response:
    """A picture of the rules."""
    found = pictures().get(request.path_params["name"])
    if found is None:
        raise Refused(404, Reason.of("no_such_picture"))
    return Response(found, media_type="image/svg+xml", headers={"cache-control": _A_DAY})


ROUTES = [
    Route("/api", api),
    Route("/rules", rules),
    Route(f"{PICTURES}{{name}}", picture),
    Route("/rules/{name}", rules_of),
    Route("/documents/{name}", for_authors),
]
