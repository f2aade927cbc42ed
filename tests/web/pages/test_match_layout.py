"""The layout of a match page: the board with all that belongs to it, and nothing that jumps."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import tab

MAX_SHIFT = 0.05
OBSERVE = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
TELEPHONE, LANDSCAPE = {"width": 390, "height": 844}, {"width": 844, "height": 390}
LAPTOP, PROJECTOR = {"width": 1440, "height": 900}, {"width": 1920, "height": 1080}
CHART = "section:not([hidden]) .time-chart"
GAMES = ("packeis", "arktia", "icecult")


def open_match(page: Page, game: str) -> None:
    page.goto(f"/matches/{game}-7?lang=en")
    expect(page.locator(".turn-entry[aria-current]")).to_be_visible()


def box(page: Page, selector: str) -> Any:
    found = page.locator(selector).first.bounding_box()
    assert found is not None
    return found


@pytest.mark.parametrize("size", [TELEPHONE, LANDSCAPE, LAPTOP], ids=lambda size: size["width"])
def test_room_is_reserved_before_scripts_come(
    browser: Browser, site: str, size: dict[str, int]
) -> None:
    with tab(browser, site, viewport=size) as page:
        page.add_init_script(OBSERVE)
        shifts = {}
        for game in GAMES:
            open_match(page, game)
            shifts[game] = page.evaluate("window.shift")
    assert [game for game, shift in shifts.items() if shift > MAX_SHIFT] == [], shifts


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [LAPTOP, PROJECTOR], ids=lambda size: size["width"])
def test_board_clocks_turns_and_controls_are_in_sight_together(
    browser: Browser, site: str, size: dict[str, int], game: str
) -> None:
    with tab(browser, site, viewport=size) as page:
        open_match(page, game)
        for part in (".board-drawing", ".clock", ".turn-entry[aria-current]", ".viewer-bar"):
            found = box(page, part)
            assert found["y"] >= 0, part
            assert found["y"] + found["height"] <= size["height"], part
        board, turns = box(page, ".board-drawing"), box(page, ".turn-list")
        assert board["x"] + board["width"] <= turns["x"]
        assert board["height"] >= 0.6 * size["height"]


def test_board_is_at_the_left_of_all_else_on_a_telephone_on_its_side(
    browser: Browser, site: str
) -> None:
    with tab(browser, site, viewport=LANDSCAPE) as page:
        open_match(page, "packeis")
        board = box(page, ".board-drawing")
        assert board["y"] + board["height"] <= LANDSCAPE["height"]
        for part in (
            ".viewer-result",
            ".viewer-bar",
            ".clock",
            ".turn-list",
            "section:not([hidden]) .time-chart",
        ):
            assert box(page, part)["x"] >= board["x"] + board["width"], part


@pytest.mark.parametrize("size", [TELEPHONE, LANDSCAPE, LAPTOP], ids=lambda size: size["width"])
def test_controls_cover_nothing(browser: Browser, site: str, size: dict[str, int]) -> None:
    with tab(browser, site, viewport=size) as page:
        open_match(page, "icecult")
        placing = "(part) => getComputedStyle(part).position"
        assert page.locator(".viewer-bar").evaluate(placing) == "static"


def test_nothing_of_a_match_page_is_wider_than_a_telephone(browser: Browser, site: str) -> None:
    with tab(browser, site, viewport={"width": 360, "height": 740}) as page:
        for game in GAMES:
            page.goto(f"/matches/{game}-7?lang=de")
            expect(page.locator(".turn-entry[aria-current]")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") == 360, game


def test_readers_without_scripts_see_the_result_and_no_empty_board(
    browser: Browser, site: str
) -> None:
    with tab(browser, site, viewport=LAPTOP, java_script_enabled=False) as page:
        page.goto("/matches/packeis-7?lang=en")
        expect(page.locator(".viewer-result")).to_contain_text("lost on time in turn 3")
        expect(page.locator(".viewer-board")).to_be_hidden()
        expect(page.locator("#about")).to_be_in_viewport()


@pytest.mark.parametrize("game", GAMES)
def test_times_of_the_third_seat_are_in_sight_on_a_laptop(
    browser: Browser, site: str, game: str
) -> None:
    with tab(browser, site, viewport=LAPTOP) as page:
        open_match(page, game)
        chart, panels = box(page, CHART), box(page, ".viewer-panels")
        assert chart["y"] + chart["height"] <= panels["y"] + panels["height"] + 1
        assert panels["y"] + panels["height"] <= LAPTOP["height"]


@pytest.mark.parametrize("game", GAMES)
def test_projector_says_that_an_old_turn_is_a_replay(
    browser: Browser, site: str, game: str
) -> None:
    with tab(browser, site, viewport=PROJECTOR) as page:
        page.goto(f"/matches/{game}-7?lang=en&projector#turn=2")
        expect(page.locator(".viewer-replay")).to_contain_text("Replay · turn 2 of")
        expect(page.locator(".viewer-head > .viewer-result")).to_be_hidden()
        page.keyboard.press("End")
        expect(page.locator(".viewer-replay")).to_be_hidden()
        expect(page.locator(".viewer-head > .viewer-result")).to_be_visible()


def test_pawns_on_a_projector_are_large_and_above_the_marks(browser: Browser, site: str) -> None:
    with tab(browser, site, viewport=PROJECTOR) as page:
        page.goto("/matches/icecult-7?projector#turn=6")
        pawn = page.locator(".stacks .pawn-body").first
        expect(pawn).to_be_visible()
        found = pawn.bounding_box()
        assert found is not None
        assert min(found["width"], found["height"]) >= 24
        above = """one => !!(one.compareDocumentPosition(document.querySelector(".marks"))
          & Node.DOCUMENT_POSITION_PRECEDING)"""
        assert pawn.evaluate(above)


def test_taken_floes_stay_in_the_colour_of_their_takers(browser: Browser, site: str) -> None:
    with tab(browser, site) as page:
        open_match(page, "packeis")
        caught = page.evaluate(
            """fetch("/api/v1/matches/packeis-7/frames").then((answer) => answer.json())
              .then(({ frames }) => frames.at(-1).state.floes_caught)"""
        )
        owned = [page.locator(f".gone.owned.seat-{seat}").count() for seat in range(len(caught))]
        assert owned == caught


def test_moments_lead_to_their_turns(browser: Browser, site: str) -> None:
    with tab(browser, site) as page:
        open_match(page, "packeis")
        button = page.locator(".moments button").first
        turn = re.findall(r"\d+", button.text_content() or "")[0]
        button.click()
        expect(page.locator(".viewer-place")).to_contain_text(f"turn {turn} of")
        assert page.locator(".chart-moment").count() >= 1
