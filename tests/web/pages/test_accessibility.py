"""Pages judged by axe-core: readers with a keyboard, a screen reader, or weak eyes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

import pytest
import trio
from benchmarks.crowd import Crowd
from benchmarks.crowd import fill as fill_crowd
from playwright.sync_api import Browser, Page, ViewportSize, expect
from tests.web.axe import axe_findings, paint
from tests.web.browsing import in_a_thread, tab
from tests.web.pages.test_pages_in_browser import PATHS, TOKEN, operated
from tests.web.play.persons import House, open_house
from tests.web.records import fill

from polynya_store import Store

ALL_PATHS = [
    *PATHS,
    "/matches/packeis-7",
    "/matches/arktia-7",
    "/matches/icecult-7?lang=de",
    "/bots/bot0",
    "/replay",
    "/wall",
    "/tv?lang=de",
    "/operator",
    "/embed/matches/arktia-7",
    "/connect",
    "/rules",
    "/rules/packeis?lang=de",
    "/documents/protocol",
    "/api",
    "/no-such-page",
]
SIZES: Final[Sequence[ViewportSize]] = [
    {"width": 390, "height": 844},
    {"width": 1440, "height": 900},
]
SCHEMES: Final[Sequence[Literal["light", "dark"]]] = ("light", "dark")
LIGHT_TAG, DARK_TAG = "rgb(59, 65, 81)", "rgb(228, 230, 230)"
"""The colours of Swagger UI's tags, which it fades from one to the other."""
BY_KEYBOARD = """
() => [...document.querySelectorAll("#viewer :is(button, input, select, a[href], summary)")]
    .filter((one) => one.checkVisibility() && one.tabIndex < 0 && !one.matches(".turn-entry"))
    .map((one) => one.outerHTML)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("site") / "site.sqlite"
    fill_crowd(path, Crowd(bots=12, matches=300, tournaments=1))
    with Store.open(path, for_play=True) as store:
        trio.run(fill, store)
        with operated(store) as (address, _):
            yield address


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with in_a_thread(partial(open_house, tmp_path_factory.mktemp("house"))) as opened:
        yield opened


def findings(page: Page, path: str) -> list[Any]:
    """What axe finds at each size: the path, the rule and the elements that break it."""
    page.wait_for_load_state("networkidle")
    found = []
    for size in SIZES:
        page.set_viewport_size(size)
        found += [(path, size["width"], *finding) for finding in axe_findings(page)]
    return found


def test_pages_are_judged_in_colours_that_no_longer_change(browser: Browser, site: str) -> None:
    colours = []
    with tab(browser, site) as page:
        page.goto("/api")
        tag = page.locator(".opblock-tag").first
        expect(tag).to_be_visible()
        for scheme in [*SCHEMES] * 5:
            paint(page, scheme)
            colours.append(tag.evaluate("(one) => getComputedStyle(one).color"))
    assert colours == [LIGHT_TAG, DARK_TAG] * 5


def test_axe_finds_nothing(browser: Browser, site: str) -> None:
    found = []
    with tab(browser, site) as page:
        for path in ALL_PATHS:
            page.goto(path)
            found += findings(page, path)
        page.goto("/operator")
        page.locator("input[name=token]").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("nav.tabs, .operator-head").first).to_be_visible()
        for path in ("/operator", "/operator/bots"):
            page.goto(path)
            found += findings(page, path)
    assert found == []


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_axe_finds_nothing_where_people_play(browser: Browser, house: House, game: str) -> None:
    with tab(browser, house.address) as page:
        page.goto(f"/play?game={game}&players=2")
        found = findings(page, "/play")
        page.locator("select[name=seat]").select_option("0")
        page.locator(".play-order button.primary").click()
        expect(page.locator("#board .pickable").first).to_be_visible()
        found += findings(page, "a table")
        page.once("dialog", lambda dialog: dialog.accept())
        page.locator("#resign").click()
        expect(page.locator("#result")).to_be_visible()
        found += findings(page, "a result")
    assert found == []


def test_all_of_a_match_can_be_reached_by_keyboard(browser: Browser, site: str) -> None:
    with tab(browser, site) as page:
        page.goto("/matches/icecult-7")
        expect(page.locator(".turn-entry").first).to_be_visible()
        assert page.evaluate(BY_KEYBOARD) == []


def test_keyboard_stops_at_one_turn_and_arrows_go_on(browser: Browser, site: str) -> None:
    with tab(browser, site) as page:
        page.goto("/matches/packeis-7?lang=en#turn=2")
        entries = page.locator(".turn-entry")
        expect(entries.nth(1)).to_have_attribute("aria-current", "true")
        expect(page.locator('.turn-entry[tabindex="0"]')).to_have_count(1)
        entries.nth(1).focus()
        page.keyboard.press("ArrowDown")
        expect(entries.nth(2)).to_be_focused()
        expect(page.locator(".viewer-place")).to_contain_text("turn 3")
        page.keyboard.press("End")
        expect(entries.last).to_be_focused()
        page.keyboard.press("Tab")
        assert page.locator(".turn-entry:focus").count() == 0


def test_each_turn_is_told_in_a_sentence_while_a_match_is_played_back(
    browser: Browser, site: str
) -> None:
    with tab(browser, site) as page:
        page.goto("/matches/packeis-7?lang=en#turn=0")
        expect(page.locator(".viewer-place")).to_contain_text("turn 0")
        told = page.locator(".viewer-steps [role=status].visually-hidden")
        page.get_by_role("button", name="Play", exact=True).click()
        expect(told).to_contain_text("Turn 1, bot0: puts a penguin on floe")
        expect(page.locator(".viewer-said")).to_have_attribute("aria-live", "off")
