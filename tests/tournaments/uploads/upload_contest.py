"""A contest that takes uploads of the bot ``fish``, for tests that upload."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

from polynya_server import ServerSettings, hash_token, open_server
from polynya_store import Store, open_journal
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.settings import UploadSettings
from polynya_tournaments.uploads.upload_folder import UploadFolder
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

TOKEN = "right"  # noqa: S105


@contextmanager
def contest(folder: Path) -> Iterator[Store]:
    """The store of a contest in which ``TOKEN`` proves the name fish."""
    with Store.open(folder / "contest.sqlite", for_play=True) as store:
        store.bots.set_token("fish", hash_token(TOKEN))
        yield store


def pages(
    store: Store,
    folder: Path,
    limits: Limits | None = None,
    settings: UploadSettings | None = None,
    control: OperatorControl | None = None,
) -> AbstractAsyncContextManager[str]:
    """Pages that take uploads into a folder; gives their address. Nothing is built."""
    reception = Reception(store, UploadFolder(folder), limits or Limits(), settings)
    return open_web(WebSettings(port=0), PageSources(store, reception=reception, control=control))


@asynccontextmanager
async def registering_pages(store: Store, folder: Path, **server: object) -> AsyncIterator[str]:
    """The same beside a game server that registers new names."""
    settings = ServerSettings(port=0, **server)  # type: ignore[arg-type]
    reception = Reception(store, UploadFolder(folder), Limits())
    async with (
        open_journal(store) as journal,
        open_server(settings, journal) as game_server,
        open_web(
            WebSettings(port=0), PageSources(store, game_server, reception=reception)
        ) as address,
    ):
        yield address
