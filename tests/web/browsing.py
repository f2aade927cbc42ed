"""A browser for tests, and pages for it to look at. These tests are plain functions: Playwright's
synchronous interface and a trio loop do not share a thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import partial
from typing import TypeVar

import trio
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from tests.clients.toolchains import program

from polynya_store import Store
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

T = TypeVar("T")

PATIENCE_S = 120
"""How long a page may take to show something, on a machine that is busy with other things."""

expect.set_options(timeout=PATIENCE_S * 1000)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's browser; skips where there is none."""
    executable = program("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox"],
            timeout=PATIENCE_S * 1000,
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def tab(browser: Browser, address: str, **context: object) -> Iterator[Page]:
    """A tab of its own; what goes wrong in its scripts, or against the page's policy, fails."""
    complaints: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            complaints.append(message.text)

    opened = browser.new_context(base_url=address, **context)  # type: ignore[arg-type]
    opened.set_default_timeout(PATIENCE_S * 1000)
    page = opened.new_page()
    page.on("console", on_console)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        yield page
        assert complaints == []
    finally:
        opened.close()


def pages_in_a_thread(store: Store | None = None) -> AbstractContextManager[str]:
    """The pages over a real socket, in a trio loop of their own; gives their address."""
    return in_a_thread(partial(open_web, WebSettings(port=0), PageSources(store)))


@contextmanager
def in_a_thread(open_it: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """What is opened in a trio loop of its own, as long as the block lasts."""
    opened: Future[tuple[T, trio.lowlevel.TrioToken, trio.CancelScope]] = Future()

    async def serve() -> None:
        with trio.CancelScope() as scope:
            async with open_it() as there:
                opened.set_result((there, trio.lowlevel.current_trio_token(), scope))
                await trio.sleep_forever()

    def run() -> None:
        try:
            trio.run(serve)
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        there, token, scope = opened.result(PATIENCE_S)
        try:
            yield there
        finally:
            token.run_sync_soon(scope.cancel)
    finally:
        thread.join(PATIENCE_S)
