"""Web pages as commands open them: settings by name, and packages that may be missing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from polynya_common.errors import (
    ConfigurationError,
    RunError,
    TournamentError,
    unwrap_single_error,
)
from polynya_common.extras import require_packages
from polynya_common.reasons import Reason, cause_of
from polynya_common.text import address, join_words, why_unopened
from polynya_contest.config.toml_files import converted, refuse_unknown
from polynya_server import MatchRecord

if TYPE_CHECKING:
    from polynya_web.page_sources import PageSources

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080


@asynccontextmanager
async def pages(settings: Mapping[str, Any], sources: PageSources) -> AsyncIterator[str]:
    """Serve web pages; close them when the context exits.

    Args:
        settings: of the web pages, by name.
        sources: the parts of a server that the pages show.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        ConfigurationError: a setting is unknown or impossible.
        RunError: they cannot be served there.
        TournamentError: packages that they need are missing; the message says what to install.
    """
    require_packages("hypercorn", "jinja2", "starlette")
    from polynya_web.settings import WebSettings
    from polynya_web.web_server import open_web

    refuse_unknown(settings, WebSettings.__struct_fields__, "web.")
    try:
        known = converted(settings, WebSettings, "web")
    except ConfigurationError as error:
        raise ConfigurationError(f"web pages: {error}") from error
    async with AsyncExitStack() as stack:
        try:
            with unwrap_single_error():
                where = await stack.enter_async_context(open_web(known, sources))
        except OSError as error:
            place = address(known.host, known.port)
            raise RunError(f"cannot serve web pages on {place}: {why_unopened(error)}") from error
        yield where


def replay_page(record: MatchRecord, language: str) -> bytes:
    """A recorded match as one HTML file, for any browser and without a network.

    Raises:
        ConfigurationError: the pages are not in that language.
        TournamentError: packages that they need are missing, or the match cannot be shown.
    """
    require_packages("jinja2", "starlette")
    from polynya_web.content.texts import LANGUAGES
    from polynya_web.pages.sharing.replay_file import page_of_record

    if language not in LANGUAGES:
        known = join_words(list(LANGUAGES))
        raise ConfigurationError(f"there is no language {language!r}; there are {known}")
    try:
        return page_of_record(record, language)
    except ValueError as error:
        raise TournamentError(
            Reason.of("match_not_shown", match=record.setup.match, why=cause_of(error))
        ) from error
