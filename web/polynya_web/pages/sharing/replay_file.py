"""A match as one HTML file that shows itself without a server and without a network."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
from functools import cache

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.reasons import Reason, cause_of
from polynya_protocol.errors import printable
from polynya_server import MatchRecord
from polynya_web.content.contest_names import game_title
from polynya_web.content.frames import frames_of
from polynya_web.content.match_types import MatchView
from polynya_web.content.match_views import view_of_record
from polynya_web.content.replay_cache import replay_json
from polynya_web.content.result_sentences import result_sentences
from polynya_web.content.texts import TEXTS, texts_for
from polynya_web.http.requests import Refused
from polynya_web.http.static_assets import bundle, read_assets, source_files
from polynya_web.pages.matches import WORDS, as_file, find_match, first_detail, refuse_unrecorded
from polynya_web.pages.rendering import ENVIRONMENT, escaped_json
from polynya_web.site import site_of

MAX_REPLAY_BYTES = 8 * 1024 * 1024
"""A longer match is only written by the command line: escaping it would delay others."""
_STYLES = ("style.css", "boards.css", "viewer.css")
_ENTRY = "viewer/entry.js"


async def download_html(request: Request) -> Response:
    """A match that is over as one file."""
    site, name = site_of(request), request.path_params["match"]
    row, view = await find_match(site, name)
    refuse_unrecorded(view.match, row)
    try:
        replay = await site.replay_cache.replay(view.match)
    except ValueError as error:
        raise Refused(
            404, Reason.of("match_not_shown", match=view.match, why=cause_of(error))
        ) from error
    if len(replay) > MAX_REPLAY_BYTES:
        raise Refused(413, Reason.of("match_too_long"))
    language = texts_for(request).language
    return as_file(
        await site.ask(replay_page, view, replay, language), "text/html", view.match, ".html"
    )


def page_of_record(record: MatchRecord, language: str) -> bytes:
    """The file of a recorded match, with the bots' remarks.

    Args:
        record: the match.
        language: a key of ``LANGUAGES``.

    Raises:
        ValueError: the record does not fit together, or its game is not installed.
    """
    frames = frames_of(record)
    frames.follow_all(record.events)
    view = view_of_record(record)
    shown = replay_json(view, frames.frames, frames.turns, frames.forfeits, None)
    return replay_page(view, shown, language)


def replay_page(view: MatchView, replay: bytes, language: str) -> bytes:
    """The file of a match.

    Args:
        view: the match.
        replay: its ``Replay`` as JSON.
        language: a key of ``LANGUAGES``.
    """
    t = TEXTS[language]
    style, script = _style(), _script(view.game)
    values = {
        "t": t,
        "base": "",
        "match": view,
        "title": game_title(view.game),
        "names": ", ".join(printable(seat.name) for seat in view.seats),
        "sentences": result_sentences(view, t),
        "detail": first_detail(view),
        "hidden": False,
        "policy": _policy(script, style),
        "style": Markup(style),  # noqa: S704 -- our own files
        "script": Markup(script),  # noqa: S704 -- our own files
        "data": escaped_json(replay.decode()),
        "words": t.starting(*WORDS),
        "version": importlib.metadata.version("polynya"),
    }
    return ENVIRONMENT.get_template("sharing/replay_file.html").render(values).encode()


@cache
def _style() -> str:
    return "".join(map(read_assets().text, _STYLES))


@cache
def _script(game: str) -> str:
    """The viewer with the board of a game and all that they import."""
    files = source_files()
    scripts = {path: content.decode() for path, content in files.items() if path.endswith(".js")}
    board = f"boards/{game}.js"
    if "export function createBoard(" not in scripts.get(board, ""):
        board = "boards/plain.js"
    scripts[_ENTRY] = (
        f'import {{ createBoard }} from "../{board}";\n'
        'import { showFile } from "./file.js";\n'
        "showFile(createBoard);\n"
    )
    return bundle(_ENTRY, scripts)


def _policy(script: str, style: str) -> str:
    """Content security policy: only this script and this style run."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


ROUTES = [Route("/matches/{match}/html", download_html)]
