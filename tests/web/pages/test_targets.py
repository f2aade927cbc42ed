"""Links and buttons on a telephone: large enough for a finger, and none out of sight."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest
import trio
from benchmarks.crowd import Crowd, fill
from playwright.sync_api import Browser, expect
from tests.web.browsing import pages_in_a_thread, tab
from tests.web.pages.test_tournament_pages import BOTS, settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played
from tests.web.records import fill as fill_records

from polynya_store import Store

TELEPHONE = {"width": 390, "height": 844}
DESK = {"width": 1440, "height": 900}
ONE_LINE = 56
"""The most pixels of a header with one line."""
PATHS = [
    "/",
    "/matches",
    "/ladder",
    "/tournaments",
    "/tournaments/cup-1",
    "/tournaments/cup-1/crosstable?bot=bot-0002",
    "/tournaments/cup-1/schedule",
    "/tournaments/cup",
    "/tournaments/cup/rounds",
    "/bots",
    "/bots/bot-0002",
    "/matches/packeis-7",
]
SMALL = """
() => [...document.querySelectorAll("a[href], button, summary, select, input:not([type=hidden])")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((one) => !one.closest("p, figcaption, .skip, svg") || one.matches("button"))
  .map((one) => ({ box: one.getBoundingClientRect(), one }))
  .filter(({ box }) => box.width > 1 && (box.height < 23.5 || box.width < 23.5))
  .map(({ box, one }) => `${Math.round(box.width)} x ${Math.round(box.height)} ${one.outerHTML}`)
"""
"""Links within a sentence are as high as its lines, and need not be more."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("site") / "site.sqlite"
    fill(path, Crowd(bots=12, matches=300, tournaments=1))
    cup = msgspec.structs.replace(CUP, bots=BOTS, swiss=settings("swiss"))
    with Store.open(path, for_play=True) as store:
        trio.run(fill_records, store)
        trio.run(played, cup, store, first_name_wins)
        with pages_in_a_thread(store) as address:
            yield address


@pytest.mark.parametrize("path", PATHS)
def test_targets_on_a_telephone_are_24_pixels_at_least(
    browser: Browser, site: str, path: str
) -> None:
    with tab(browser, site, viewport=TELEPHONE, has_touch=True, is_mobile=True) as page:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        small = page.evaluate(SMALL)
        assert small == [], small
        assert page.evaluate("document.documentElement.scrollWidth") == TELEPHONE["width"]


def test_menu_on_a_telephone_opens_below_one_line_without_scripts(
    browser: Browser, site: str
) -> None:
    with tab(browser, site, viewport=TELEPHONE, java_script_enabled=False) as page:
        page.goto("/tournaments?lang=en")
        header = page.locator(".top").bounding_box()
        assert header is not None
        assert header["height"] <= ONE_LINE
        entries = page.locator(".top nav a")
        expect(entries.first).to_be_hidden()
        page.get_by_role("button", name="Menu").click()
        expect(entries.first).to_be_visible()
        boxes = [entry.bounding_box() for entry in entries.all()]
        ends = [box["x"] + box["width"] for box in boxes if box is not None]
        assert len(ends) >= 9
        assert max(ends) <= TELEPHONE["width"]
        entries.filter(has_text="Rules").click()
        expect(page).to_have_url(re.compile("/rules$"))


def test_menu_is_one_line_of_links_in_a_wide_window(browser: Browser, site: str) -> None:
    with tab(browser, site, viewport=DESK) as page:
        page.goto("/tournaments?lang=en")
        expect(page.get_by_role("button", name="Menu")).to_be_hidden()
        header, last = page.locator(".top"), page.locator(".top nav a").last
        expect(last).to_be_visible()
        boxes = header.bounding_box(), last.bounding_box()
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["height"] <= ONE_LINE
        assert boxes[1]["x"] + boxes[1]["width"] <= DESK["width"]


def test_ratings_of_a_bot_fit_on_a_telephone(browser: Browser, site: str) -> None:
    with tab(browser, site, viewport=TELEPHONE) as page:
        page.goto("/bots/bot-0002?lang=en")
        table = page.get_by_role("region", name="Ratings")
        expect(table.locator("th", has_text="Matches")).to_be_visible()
        assert table.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
