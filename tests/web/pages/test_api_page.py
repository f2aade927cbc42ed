"""The documentation of the API for people, in a browser that asks nobody but this server."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect
from tests.web.browsing import tab

from polynya_web.api.endpoints import ENDPOINTS


def test_it_shows_every_address_and_asks_only_this_server(browser: Browser, address: str) -> None:
    with tab(browser, address) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(urlsplit(request.url).netloc))
        page.goto("/api")
        expect(page.locator(".opblock")).to_have_count(len(ENDPOINTS))
        assert {urlsplit(address).netloc} == {host for host in asked if host}


def test_a_request_can_be_tried(browser: Browser, address: str) -> None:
    with tab(browser, address) as page:
        page.goto("/")
        page.locator("footer a[href='/api']").click()
        page.locator("#operations-games-games").get_by_role("button").first.click()
        page.get_by_role("button", name="Try it out").click()
        page.get_by_role("button", name="Execute").click()
        answer = page.locator(".live-responses-table .response")
        expect(answer.locator(".response-col_status")).to_contain_text("200")
        expect(answer).to_contain_text("icecult")


def test_it_has_the_colours_that_the_reader_chose(browser: Browser, address: str) -> None:
    with tab(browser, address, color_scheme="dark") as page:
        page.goto("/api")
        expect(page.locator("html.dark-mode")).to_have_count(1)
        page.get_by_role("link", name="Light").click()
        expect(page.locator("html.dark-mode")).to_have_count(0)
