"""A game's own renderer runs in a frame that sees nothing but the positions it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.games.example_games import example_games
from tests.web.boards.test_declared_boards_in_browser import snakes
from tests.web.boards.test_viewer_in_browser import open_file
from tests.web.browsing import tab

from polynya_games import load
from polynya_web.content.boards.renderers import renderer_of

__all__ = ["example_games"]

ESCAPES = """
const attempts = {
  cookies: () => document.cookie,
  parent: () => parent.document.title,
  storage: () => localStorage.length,
  evaluation: () => new Function("return 1")(),
};
const found = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try { found[name] = String(attempt()); } catch (error) { found[name] = "refused"; }
}
const reached = (name, promise) => promise.then(
  () => { found[name] = "reached"; },
  () => { found[name] = "refused"; },
);
const image = new Image();
const shown = new Promise((done, failed) => { image.onload = done; image.onerror = failed; });
image.src = "/static/icon.svg";
const network = [
  reached("fetch", fetch("/api/v1/matches", { mode: "no-cors" })),
  reached("image", shown),
  reached("import", import("/static/base.js")),
];
polynya.onPosition(({ state, seats }, board) => {
  Promise.all(network).then(() => {
    const sent = { size: state.size, seats: seats.length, origin: self.origin };
    board.textContent = JSON.stringify({ ...found, ...sent });
  });
});
"""
NOTHING = dict.fromkeys(
    ("cookies", "parent", "storage", "evaluation", "fetch", "image", "import"), "refused"
)
Shown = Callable[[str], Page]


@pytest.fixture
def shown(
    browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Page]]:
    """Shows the beginning of a match whose game has a renderer; gives the page."""
    opened = browser.new_context(base_url=address, viewport={"width": 1440, "height": 900})

    def show(script: str) -> Page:
        monkeypatch.setattr(type(load("snakes")), "renderer", script)
        renderer_of.cache_clear()
        page = opened.new_page()
        page.clock.install()
        page.goto("/replay?lang=en")
        open_file(page, snakes())
        return page

    yield show
    opened.close()
    renderer_of.cache_clear()


def test_the_renderer_of_a_game_takes_the_place_of_the_plain_board(
    browser: Browser, address: str
) -> None:
    renderer_of.cache_clear()
    with tab(browser, address) as page:
        page.goto("/replay?lang=en")
        open_file(page, snakes())
        expect(page.get_by_role("button", name="Plain board")).to_be_visible()  # it has its height
        page.keyboard.press("Home")
        frame = page.frame_locator("iframe.renderer")
        expect(frame.get_by_role("img", name="Snakes")).to_be_visible()
        expect(frame.locator("polyline")).to_have_count(4)
        expect(page.locator(".drawn-grid")).to_be_hidden()
        page.get_by_role("button", name="Plain board").click()
        expect(page.locator(".drawn-grid")).to_be_visible()
        page.get_by_role("button", name="The game's own board").click()
        expect(page.locator(".drawn-grid")).to_be_hidden()
        height = page.locator("iframe.renderer").bounding_box()
        assert height is not None
        assert height["height"] > 200


def test_a_renderer_has_no_network_no_cookies_and_no_parent(shown: Shown) -> None:
    page = shown(ESCAPES)
    text = page.frame_locator("iframe.renderer").locator("#board")
    expect(text).to_contain_text("origin")
    found = page.evaluate("text => JSON.parse(text)", text.text_content())
    assert found == NOTHING | {"size": 11, "seats": 4, "origin": "null"}


@pytest.mark.parametrize(
    "script",
    [
        "this is no JavaScript",
        "polynya.onPosition(() => { throw new Error('broken'); });",
        "// draws nothing",
        'location.href = "http://127.0.0.1:9/";',
        'top.location.href = "http://127.0.0.1:9/";',
    ],
)
def test_a_broken_renderer_leaves_the_plain_board(shown: Shown, script: str) -> None:
    page = shown(script)
    page.clock.fast_forward("01:00")  # longer than a page waits for the first drawing
    expect(page.locator("iframe.renderer")).to_have_count(0)
    expect(page.locator(".drawn-grid")).to_be_visible()
    assert page.url.endswith("/replay?lang=en")


@pytest.mark.parametrize("script", ["a('</SCRIPT>')", "<!-- a", "x" * 500_001, ""])
def test_a_script_that_no_page_can_hold_is_no_renderer(
    monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(type(load("snakes")), "renderer", script)
    renderer_of.cache_clear()
    assert renderer_of("snakes") is None
    renderer_of.cache_clear()
    assert renderer_of("no_such_game") is None


def test_games_without_a_renderer_have_no_frame() -> None:
    assert renderer_of("goofspiel") is None
