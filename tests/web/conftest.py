"""The pages over a real socket, and what the tests of them need."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
import pytest
from playwright.sync_api import Browser
from tests.web.browsing import chromium, pages_in_a_thread

from polynya_server import Server
from polynya_store import Store
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

OpenPages = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]
PATIENCE_S = 60


@asynccontextmanager
async def _open_pages(
    store: Store | None = None,
    server: Server | None = None,
    control: OperatorControl | None = None,
    **settings: object,
) -> AsyncIterator[httpx2.AsyncClient]:
    words = {"port": 0} | settings
    async with (
        open_web(WebSettings(**words), PageSources(store, server, control=control)) as address,  # type: ignore[arg-type]
        httpx2.AsyncClient(base_url=address, timeout=PATIENCE_S) as client,
    ):
        yield client


@pytest.fixture
def pages() -> OpenPages:
    """Opens the pages on a free port, and gives a client that is connected to them."""
    return _open_pages


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's browser, for the tests of a module; they are skipped where there is none."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of pages without a database and without a game server."""
    with pages_in_a_thread() as opened:
        yield opened
