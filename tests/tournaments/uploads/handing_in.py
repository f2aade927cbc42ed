"""A contest that takes uploads of the bot ``fish``, for tests that hand in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path

from polynya_server import hash_token
from polynya_tournaments.store import Store
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.unpacking import Limits
from polynya_tournaments.uploads.upload_folder import UploadFolder
from polynya_web import WebSettings, open_web

TOKEN = "right"  # noqa: S105


@contextmanager
def contest(folder: Path) -> Iterator[Store]:
    """The store of a contest in which ``TOKEN`` proves the name fish."""
    with Store.open(folder / "contest.sqlite", for_play=True) as store:
        store.bots.set_token("fish", hash_token(TOKEN))
        yield store


def pages(
    store: Store, folder: Path, limits: Limits | None = None
) -> AbstractAsyncContextManager[str]:
    """Pages that take uploads into a folder; gives their address. Nothing is built."""
    reception = Reception(store, UploadFolder(folder), limits or Limits())
    return open_web(WebSettings(port=0), store, reception=reception)
