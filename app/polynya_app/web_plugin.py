"""The web pages, where they are installed: found by an entry point, because they lie above us."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import entry_points
from typing import Any, Protocol, cast

from polynya_common.errors import (
    ConfigurationError,
    RunError,
    TournamentError,
    unwrap_single_error,
)
from polynya_common.extras import require_packages
from polynya_common.text import address, why_unopened
from polynya_server import MatchRecord, Server
from polynya_store import Store, StoreJournal
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.reception import Reception

GROUP = "polynya.web"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080


class OpenPages(Protocol):
    """The value of the entry point: opens pages for a block, and gives their address."""

    def __call__(
        self,
        settings: Mapping[str, Any],
        store: Store | None,
        server: Server | None,
        journal: StoreJournal | None,
        control: OperatorControl | None,
        opened: MatchRecord | None,
        reception: Reception | None,
        game: str | None,
    ) -> AbstractAsyncContextManager[str]:
        """Open them.

        Raises:
            ConfigurationError: a setting is unknown or impossible.
            OSError: they cannot be served there.
        """


def installed_pages() -> OpenPages:
    """The web pages that are installed.

    Raises:
        ConfigurationError: none are.
        TournamentError: packages that they need are not; the message says what to do.
    """
    require_packages("hypercorn", "jinja2", "starlette")
    return cast("OpenPages", _installed("pages"))


def replay_page(record: MatchRecord, language: str) -> bytes:
    """A recorded match as one HTML file, for any browser and without a network.

    Raises:
        ConfigurationError: no pages are installed, or not in that language.
        TournamentError: packages that they need are not, or the match cannot be shown.
    """
    require_packages("jinja2", "starlette")
    make = cast("Callable[[MatchRecord, str], bytes]", _installed("replay_page"))
    try:
        return make(record, language)
    except ValueError as error:
        raise TournamentError(f"match {record.setup.match} cannot be shown: {error}") from error


def _installed(name: str) -> object:
    for point in entry_points(group=GROUP, name=name):
        return point.load()
    raise ConfigurationError("the web pages are not installed: install polynya with polynya_web")


@asynccontextmanager
async def pages(
    settings: Mapping[str, Any],
    store: Store | None = None,
    server: Server | None = None,
    journal: StoreJournal | None = None,
    control: OperatorControl | None = None,
    opened: MatchRecord | None = None,
    reception: Reception | None = None,
    game: str | None = None,
) -> AsyncIterator[str]:
    """Serve web pages as long as the block lasts.

    Args:
        settings: of the web pages, by name.
        store: the database that they show.
        server: the game server whose matches they show live.
        journal: records the matches of people.
        control: what an operator may do.
        opened: the one match that they show, where there is no database.
        reception: takes uploads; None for none.
        game: the game that the server's bots play; None where that is open.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        ConfigurationError: no pages are installed, or a setting is unknown or impossible.
        RunError: they cannot be served there.
    """
    open_pages = installed_pages()
    async with AsyncExitStack() as stack:
        try:
            with unwrap_single_error():
                opening = open_pages(
                    settings, store, server, journal, control, opened, reception, game
                )
                where = await stack.enter_async_context(opening)
        except OSError as error:
            host = settings.get("host", DEFAULT_HOST), settings.get("port", DEFAULT_PORT)
            why = why_unopened(error)
            raise RunError(f"cannot serve web pages on {address(*host)}: {why}") from error
        yield where
