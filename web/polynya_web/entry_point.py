"""The entry points for the command line: pages with settings by name, a match as one file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from polynya_common.errors import ConfigurationError
from polynya_common.text import join_words
from polynya_contest.config.toml_files import converted, refuse_unknown
from polynya_server import MatchRecord, Server
from polynya_store import Store, StoreJournal
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.reception import Reception
from polynya_web.content.texts import LANGUAGES
from polynya_web.pages.sharing.replay_file import page_of_record
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web


def replay_page(record: MatchRecord, language: str) -> bytes:
    """A recorded match as one HTML file in a language.

    Raises:
        ConfigurationError: the pages are not in that language.
        ValueError: the match cannot be shown; the message says why.
    """
    if language not in LANGUAGES:
        known = join_words(list(LANGUAGES))
        raise ConfigurationError(f"there is no language {language!r}; there are {known}")
    return page_of_record(record, language)


def open_pages(
    settings: Mapping[str, Any],
    store: Store | None = None,
    server: Server | None = None,
    journal: StoreJournal | None = None,
    control: OperatorControl | None = None,
    opened: MatchRecord | None = None,
    reception: Reception | None = None,
    game: str | None = None,
) -> AbstractAsyncContextManager[str]:
    """:func:`open_web`, for settings that a host has written.

    Raises:
        ConfigurationError: a setting is unknown or impossible.
    """
    refuse_unknown(settings, WebSettings.__struct_fields__, "web.")
    try:
        known = converted(settings, WebSettings, "web")
    except ConfigurationError as error:
        raise ConfigurationError(f"web pages: {error}") from error
    return open_web(known, store, server, journal, control, opened, reception, game)
