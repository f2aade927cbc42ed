"""Bots, tournaments and matches are found by a part of their names."""

from __future__ import annotations

from pathlib import Path

import msgspec
from playwright.sync_api import Browser, expect
from tests.web.axe import axe_findings
from tests.web.browsing import tab
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_store import Store


async def test_names_are_found_by_a_part_in_capitals_or_not(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            for part, expected in (
                ("AN", ('href="/bots/ann"',)),
                ("CUP", ('href="/tournaments/cup"', 'href="/matches/cup-1"')),
            ):
                page = (await client.get(f"/search?q={part}&lang=en")).text
                assert [one for one in expected if one not in page] == []
            nothing = (await client.get("/search?q=_&lang=en")).text
    assert "Nothing has “_” in its name." in nothing


def test_missing_page_offers_a_search(browser: Browser, site: str) -> None:
    with tab(browser, site) as page:
        page.goto("/nowhere?lang=en")
        page.get_by_role("searchbox").fill("bot1")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("h1")).to_have_text("Search")
        expect(page.locator('main a[href="/bots/bot1"]').first).to_be_visible()
        assert axe_findings(page) == []
