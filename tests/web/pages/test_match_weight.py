"""How much a match page loads, and that browsers keep it for the way back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Request, expect
from tests.clients.toolchains import program
from tests.web.browsing import PATIENCE_S, in_a_thread, tab
from tests.web.live.test_live_in_browser import open_hosted

MAX_REQUESTS = 15
MAX_BYTES = 120_000
KEPT = "addEventListener('pageshow', ({ persisted }) => { if (persisted) window.kept = true; });"


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_match_page_is_few_requests_and_bytes(browser: Browser, site: str, game: str) -> None:
    loaded: list[Request] = []
    with tab(browser, site) as page:
        page.on("requestfinished", lambda request: loaded.append(request))
        page.goto(f"/matches/{game}-7")
        page.wait_for_load_state("networkidle")
        expect(page.locator(".board-drawing")).to_be_visible()
        sizes = {one.url: one.sizes() for one in loaded}
    assert len(loaded) <= MAX_REQUESTS, sorted(sizes)
    taken = [one["responseBodySize"] + one["responseHeadersSize"] for one in sizes.values()]
    assert sum(taken) <= MAX_BYTES, sizes


@pytest.fixture(scope="module")
def keeping(browser: Browser) -> Iterator[Browser]:
    """A browser that keeps pages for the way back, as people's browsers do."""
    opened = browser.browser_type.launch(
        executable_path=program("chromium"),
        args=["--no-sandbox"],
        ignore_default_args=["--disable-back-forward-cache"],
        timeout=PATIENCE_S * 1000,
    )
    yield opened
    opened.close()


def comes_back_from_the_cache(keeping: Browser, address: str, path: str) -> bool:
    """Whether a page is as it was when the reader comes back to it."""
    with tab(keeping, address) as page:
        page.add_init_script(KEPT)
        page.goto(path)
        expect(page.locator(".board-drawing")).to_be_visible()
        page.goto("/matches")
        page.go_back(wait_until="commit")  # a page that was kept does not load
        expect(page.locator(".board-drawing")).to_be_visible()
        return bool(page.evaluate("window.kept === true"))


def test_browsers_keep_a_match_page_for_the_way_back(keeping: Browser, site: str) -> None:
    assert comes_back_from_the_cache(keeping, site, "/matches/packeis-7")


def test_browsers_keep_a_match_in_play_for_the_way_back(keeping: Browser, tmp_path: Path) -> None:
    with in_a_thread(partial(open_hosted, tmp_path)) as hosted:
        assert comes_back_from_the_cache(keeping, hosted.address, "/matches/first")
