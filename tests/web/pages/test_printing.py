"""Pages on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.crowd import Crowd
from benchmarks.crowd import fill as fill_crowd
from playwright.sync_api import Browser, expect
from tests.web.browsing import pages_in_a_thread, tab

from polynya_store import Store

A4 = {"width": 718, "height": 1_000}
DARK_INK = "() => getComputedStyle(document.body).color.match(/\\d+/g).every((part) => part < 90)"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of pages with a tournament."""
    path: Path = tmp_path_factory.mktemp("cup") / "cup.sqlite"
    fill_crowd(path, Crowd(bots=6, matches=60, tournaments=1))
    with Store.open(path, for_play=True) as store, pages_in_a_thread(store) as address:
        yield address


def test_a_match_is_printed_dark_on_white_without_what_is_pressed(
    browser: Browser, site: str
) -> None:
    with tab(browser, site, viewport=A4, color_scheme="dark") as page:
        page.goto("/matches/packeis-7")
        page.locator(".board-drawing").wait_for()
        page.emulate_media(media="print")
        for shown in (".board-drawing", ".viewer-result", ".turn-list", "#about"):
            expect(page.locator(shown)).to_be_visible()
        for pressed in (".top", ".bottom", ".viewer-bar", ".viewer-tools", ".embed"):
            expect(page.locator(pressed)).to_be_hidden()
        assert page.evaluate(DARK_INK)
        list_height = "(list) => list.scrollHeight - list.clientHeight"
        assert page.locator(".turn-list").evaluate(list_height) <= 1


def test_a_table_is_printed_whole(browser: Browser, cup: str) -> None:
    with tab(browser, cup, viewport=A4) as page:
        page.goto("/tournaments/cup-1")
        page.emulate_media(media="print")
        expect(page.locator("main table").first).to_be_visible()
        expect(page.locator(".tabs")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= A4["width"]
