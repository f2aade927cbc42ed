"""Small boards of matches in play, the television, and the layout for a projector, in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.web.axe import axe_findings
from tests.web.browsing import in_a_thread, tab
from tests.web.live.test_live_in_browser import Contest, Hosted, open_hosted
from tests.web.playing import called, open_host

from polynya_web.live import television
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

WIDE = {"width": 1920, "height": 1080}
SIZES = [{"width": 390, "height": 844}, WIDE]
HALLS = [{"width": 1280, "height": 720}, WIDE]


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    with in_a_thread(partial(open_hosted, tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize("path", ["/", "/live", "/wall"])
def test_matches_in_play_are_listed_with_their_boards(
    browser: Browser, hosted: Hosted, path: str
) -> None:
    with tab(browser, hosted.address) as page:
        page.goto(f"{path}?lang=en")
        boards = page.locator("#live-list .small-board .board-drawing")
        expect(boards).to_have_count(2)
        names = [called("first"), called("second")]
        assert names == sorted(page.locator("#live-list .live-name").all_text_contents())
        assert page.locator("#live-list .small-board .slab, #live-list .cell").count() > 0


def test_boards_follow_their_matches(browser: Browser, tmp_path: Path) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "packeis", tmp_path)
        with tab(browser, contest.pages) as page:
            page.goto("/wall?lang=en")
            penguins = page.locator(".small-board .penguin")
            expect(page.locator(".small-board .cell").first).to_be_visible()
            expect(penguins).to_have_count(0)
            contest.play(2)
            expect(penguins).to_have_count(4)
            expect(page.locator(".live-head .muted")).to_have_text("turn 4")
            contest.play_on()
            expect(page.locator(".live-card.over").first).to_be_visible()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size["width"])
def test_axe_finds_nothing_while_matches_are_in_play(
    browser: Browser, hosted: Hosted, size: dict[str, int]
) -> None:
    found = []
    with tab(browser, hosted.address, viewport=size) as page:
        for path in ("/", "/live", "/wall", "/tv", "/wall?projector&lang=de", "/tv?projector"):
            page.goto(path)
            expect(page.locator(".board-drawing > *").first).to_be_attached()
            found += [(path, *finding) for finding in axe_findings(page)]
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], path
    assert found == []


def test_television_waits_shows_a_match_and_goes_on_to_the_next(
    browser: Browser, hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(television, "STAY_S", 1)
    with tab(browser, hosted.address) as page:
        page.goto("/tv?lang=en")
        name = page.locator(".tv-players")
        expect(name).to_contain_text("second.0")  # of matches that are alike the last one
        expect(page.locator("#tv-state")).to_be_empty()
        hosted.end(1)
        expect(page.locator(".viewer-result")).to_contain_text("resigned")
        expect(name).to_contain_text("first.0")
        expect(page.locator(".viewer-badge")).to_have_text("live")
        hosted.end(0)
        expect(page.locator("#tv-state")).to_contain_text("No match is in play")
        expect(page.locator("#tv-ticker")).to_contain_text("first.0")


def test_projector_shows_board_and_large_clocks_alone(browser: Browser, hosted: Hosted) -> None:
    with tab(browser, hosted.address, viewport=WIDE) as page:
        page.goto("/matches/first?lang=en")
        clock, header = page.locator(".seat-clock .clock").first, page.locator("header.top")
        board = page.locator(".board-drawing")
        expect(clock).to_be_visible()
        page.keyboard.press("Alt+Enter")
        expect(header).to_be_hidden()
        expect(page.locator(".viewer-bar")).to_be_hidden()
        box = board.bounding_box()
        assert box is not None
        assert box["height"] > 900
        assert clock.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") > 80
        assert page.evaluate("document.documentElement.scrollHeight") <= WIDE["height"]
        page.keyboard.press("Escape")
        expect(header).to_be_visible()
        page.get_by_role("button", name="Projector").click()
        expect(header).to_be_hidden()
        page.get_by_role("button", name="Leave projector mode").click()
        expect(header).to_be_visible()


def test_address_with_projector_begins_with_it(browser: Browser, hosted: Hosted) -> None:
    with tab(browser, hosted.address, viewport=WIDE) as page:
        page.goto("/wall?projector")
        expect(page.locator(".small-board .board-drawing")).to_have_count(2)
        expect(page.locator("header.top")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollHeight") <= WIDE["height"]


@asynccontextmanager
async def open_hall(folder: Path) -> AsyncIterator[str]:
    """The address of pages with sixteen matches of four bots in play, with the longest names."""
    async with (
        open_host(folder) as host,
        open_web(WebSettings(port=0), PageSources(host.store, host.server)) as address,
    ):
        for number in range(16):
            await host.table(f"{number:02}" + "W" * 28, "icecult", 4)
        yield address


@pytest.mark.parametrize(
    "size", [WIDE, {"width": 1280, "height": 720}], ids=lambda size: size["width"]
)
def test_projector_shows_all_boards_seats_and_clocks_in_one_window(
    browser: Browser, tmp_path: Path, size: dict[str, int]
) -> None:
    with (
        in_a_thread(partial(open_hall, tmp_path)) as address,
        tab(browser, address, viewport=size) as page,
    ):
        page.goto("/wall?projector")
        boards = page.locator(".small-board .board-drawing")
        expect(boards).to_have_count(16)
        expect(boards.last.locator(":scope > *").first).to_be_attached()
        heights = [box["height"] for one in boards.all() if (box := one.bounding_box())]
        beyond = page.evaluate(
            """() => [...document.querySelectorAll(".live-card")].filter((card) => {
              const end = card.getBoundingClientRect();
              const inside = card.querySelector("li:last-child .clock").getBoundingClientRect();
              return inside.bottom > end.bottom || inside.right > end.right;
            }).length"""
        )
        assert min(heights) > size["height"] / 8
        assert beyond == 0
        page.goto(f"/matches/00{'W' * 28}?projector")
        clocks = page.locator(".seat-clock .clock")
        expect(clocks).to_have_count(4)
        last = clocks.last.bounding_box()
        assert last is not None
        assert last["y"] + last["height"] < size["height"]
