"""The first picture of a page waits for no script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser
from tests.web.browsing import tab
from tests.web.pages.test_front_page import season

__all__ = ["season"]

PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length == 1"


@pytest.mark.parametrize("path", ["/", "/tournaments/cup", "/matches/icecult-7", "/bots/ann"])
def test_page_is_painted_while_its_scripts_are_on_the_way(
    browser: Browser, season: str, path: str
) -> None:
    with tab(browser, season) as page:
        held: list[str] = []
        page.route("**/*.js", lambda route: held.append(route.request.url))
        page.goto(path, wait_until="commit")
        page.wait_for_function(PAINTED)
        assert page.locator("h1").count() == 1
        page.unroute_all(behavior="ignoreErrors")
    assert held != []
