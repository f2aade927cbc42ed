"""Pages from templates: everything in them is text, unless a template says that it is markup."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import jinja2
import msgspec
import segno
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from polynya_common.reasons import Cause
from polynya_contest.ratings.pool import Pool
from polynya_protocol.errors import printable
from polynya_protocol.messages import NAME_CHARACTERS
from polynya_web.content.background import BackgroundSlices
from polynya_web.content.contest_names import game_title, pool_name, pool_words, round_name
from polynya_web.content.seat_results import SeatResult, seat_results
from polynya_web.content.texts import COOKIE, LANGUAGES, QUERY, texts_for
from polynya_web.http.parameters import segment
from polynya_web.http.requests import is_https
from polynya_web.site import site_of

THEME = "theme"
"""The cookie and the parameter of the colours that a reader has chosen."""
THEMES = ("auto", "light", "dark")
_SMALL_RATING = 100
_YEAR_S = 365 * 24 * 3600
# A document in a <script> element holds no character that could end the element or a line in it.
_UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def script_json(value: object) -> Markup:
    """A value as JSON that can stand in a ``<script type="application/json">``.

    Structures of msgspec are allowed in it.
    """
    return escaped_json(json.dumps(msgspec.to_builtins(value), ensure_ascii=False, allow_nan=False))


def escaped_json(document: str) -> Markup:
    """A document of JSON, made fit for the same."""
    return Markup(document.translate(_UNSAFE))  # noqa: S704 -- nothing in it can end the element


def moment(milliseconds: int | None) -> str:
    """A wall-clock time, ms since 1970, as ``2026-11-21 19:03`` (UTC)."""
    if milliseconds is None:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def iso_moment(milliseconds: int) -> str:
    """The same for the attribute ``datetime`` of a ``<time>``."""
    return datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def duration(milliseconds: int | None) -> str:
    """A length of time as ``1:05`` (minutes, seconds) or ``1:02:03``."""
    if milliseconds is None:
        return ""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def rating(value: float) -> str:
    """A rating: in whole points, or with a decimal on OpenSkill's scale, which is that small."""
    told = f"{value:z.0f}" if abs(value) >= _SMALL_RATING else f"{value:z.1f}"
    return told.replace("-", "\N{MINUS SIGN}")


@jinja2.pass_context
def _round_name(context: jinja2.runtime.Context, name: str) -> str:
    return round_name(name, context["t"])


@jinja2.pass_context
def _pool_name(context: jinja2.runtime.Context, pool: Pool) -> str:
    return pool_name(pool, context["t"])


@jinja2.pass_context
def _pool_words(context: jinja2.runtime.Context, pool: Pool) -> str:
    return pool_words(pool, context["t"])


@jinja2.pass_context
def said(context: jinja2.runtime.Context, cause: Cause) -> Markup:
    """Render a cause in the reader's language; text that stays English is marked."""
    texts = context["t"]
    words, language = texts.said(cause)
    if language == texts.language:
        return escape(printable(words))
    return Markup('<span lang="{}">{}</span>').format(language, printable(words))


@jinja2.pass_context
def said_words(context: jinja2.runtime.Context, cause: Cause) -> str:
    """The same for an attribute, which has no place for a mark."""
    return printable(context["t"].said(cause)[0])


@jinja2.pass_context
def _seat_results(context: jinja2.runtime.Context, row: Any, game: str) -> list[SeatResult]:
    """The results of a row of matches or of a schedule; the latter does not know how one ended."""
    return seat_results(row.seats, game, getattr(row, "termination", None), context["t"])


def qr_code(text: str) -> Markup:
    """A text as a QR code, a drawing of SVG without a size of its own."""
    code = segno.make_qr(text, error="m")
    drawn = code.svg_inline(border=2, omitsize=True, light="#ffffff", dark="#000000")
    return Markup(drawn)  # noqa: S704 -- only paths of the library's


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("polynya_web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "script_json": script_json,
        "moment": moment,
        "iso_moment": iso_moment,
        "duration": duration,
        "plain": printable,
        "qr_code": qr_code,
        "said": said,
        "said_words": said_words,
        "rating": rating,
        "segment": segment,
        "game_title": game_title,
        "round_name": _round_name,
        "pool_name": _pool_name,
        "pool_words": _pool_words,
        "seat_results": _seat_results,
    }
    return environment


ENVIRONMENT = _environment()


class Page(HTMLResponse):
    """A page that is rendered while it is sent, in background slices."""

    def __init__(
        self,
        template: str,
        values: Mapping[str, Any],
        background: BackgroundSlices,
        status: int,
        headers: Mapping[str, str] | None,
    ) -> None:
        super().__init__(status_code=status, headers=headers)
        self._template = ENVIRONMENT.get_template(template)
        self._values = values
        self._background = background

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        parts: list[str] = []
        await self._background.each(self._template.generate(self._values), parts.append)
        self.body = self.render("".join(parts))
        self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def page(
    request: Request,
    template: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    """Answer a request with a rendered template.

    A template has, besides ``values``: ``t``, the texts (``{{ t("home.title") }}``); ``request``;
    ``site``; ``root``, the pages' whole address; ``base``, the path under which they stand, and
    ``assets``, that of style, scripts and pictures; ``languages``, each with its name and the
    address of this page in it; ``theme``, the colours that the reader has chosen, and ``themes``,
    those that there are with the address of this page in each.
    """
    texts, site = texts_for(request), site_of(request)
    filled = {
        "t": texts,
        "request": request,
        "site": site,
        "root": root(request),
        "base": site.settings.base,
        "assets": f"{site.settings.base}/static/{site.assets.digest}",
        "languages": _languages(request),
        "theme": _theme(request),
        "themes": [(key, address(request, **{THEME: key})) for key in THEMES],
    }
    response = Page(template, filled | values, site.background, status, headers)
    response.headers.setdefault("cache-control", "no-cache")
    response.headers["vary"] = "Accept-Language, Cookie"
    if request.query_params.get(QUERY) in LANGUAGES:
        _remember(request, response, COOKIE, texts.language)
    if request.query_params.get(THEME) in THEMES:
        _remember(request, response, THEME, _theme(request))
    return response


def _theme(request: Request) -> str:
    asked = (request.query_params.get(THEME), request.cookies.get(THEME))
    return next((one for one in asked if one in THEMES), THEMES[0])


def _remember(request: Request, response: Response, cookie: str, choice: str) -> None:
    """Keep a choice of the reader for a year."""
    response.set_cookie(
        cookie,
        choice,
        max_age=_YEAR_S,
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )


def root(request: Request) -> str:
    """The pages' root address as the reader sees it: ``https://HOST/BASE``."""
    return f"{request.url.scheme}://{request.url.netloc}{site_of(request).settings.base}"


def address(request: Request, **changes: object) -> str:
    """Path and query of this page with changed parameters; None removes one."""
    query = request.url.remove_query_params([*changes, QUERY, THEME])
    given = {key: value for key, value in changes.items() if value is not None}
    changed = query.include_query_params(**given)
    return changed.path + (f"?{changed.query}" if changed.query else "")


def _languages(request: Request) -> list[tuple[str, str, str]]:
    return [(key, name, address(request, **{QUERY: key})) for key, name in LANGUAGES.items()]


ENVIRONMENT.globals["address"] = address
# For the attribute `pattern`, whose expressions need the escape.
ENVIRONMENT.globals["name_characters"] = NAME_CHARACTERS.removesuffix("-") + r"\-"
