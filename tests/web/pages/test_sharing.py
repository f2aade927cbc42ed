"""Matches in frames of other sites, feeds, and what pages say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import trio
from playwright.sync_api import Browser, expect
from tests.web.browsing import pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, played
from tests.web.records import fill

from polynya_games import load
from polynya_store import MatchFilter, MatchRow, Store

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A match of each game between ``bot0``, ``bot1`` and ``bot2``."""
    with Store.open(tmp_path / "site.sqlite", for_play=True) as opened:
        yield opened


def last_match(store: Store) -> MatchRow:
    return store.matches.page(MatchFilter()).rows[0]


async def test_other_sites_may_frame_a_match_and_nothing_else(
    pages: OpenPages, store: Store
) -> None:
    await fill(store)
    match = last_match(store)
    async with pages(store) as client:
        framed = (await client.get(f"/embed/matches/{match.match}")).headers
        whole = (await client.get(f"/matches/{match.match}")).headers
    assert "frame-ancestors *" in framed["content-security-policy"]
    assert "x-frame-options" not in framed
    assert "frame-ancestors 'none'" in whole["content-security-policy"]
    assert whole["x-frame-options"] == "DENY"


async def test_a_framed_match_has_no_form_and_no_navigation(pages: OpenPages, store: Store) -> None:
    await fill(store)
    match = last_match(store)
    async with pages(store) as client:
        text = (await client.get(f"/embed/matches/{match.match}")).text
    assert "<form" not in text
    assert "<nav" not in text


async def test_a_page_of_a_match_says_who_played_and_how_it_ended(
    pages: OpenPages, store: Store
) -> None:
    await fill(store)
    match = last_match(store)
    names, game = ", ".join(seat.name for seat in match.seats), load(match.game).title
    async with pages(store) as client:
        text = (await client.get(f"/matches/{match.match}")).text
    assert f'<meta property="og:title" content="{names} · {game} ({match.match})">' in text
    assert f"{names}. " in text.partition('"og:description" content="')[2].partition('"')[0]


async def test_titles_of_bots_and_tournaments_have_the_game(pages: OpenPages, store: Store) -> None:
    await played(CUP, store)
    paths = ("/bots/ann", "/tournaments/cup?lang=en")
    async with pages(store) as client:
        texts = [(await client.get(path)).text for path in paths]
    titles = [text.partition("<title>")[2].partition("</title>")[0] for text in texts]
    assert titles == ["ann · Packeis am Pol · Polynya", "Standings: cup · Packeis am Pol · Polynya"]


@pytest.mark.parametrize("path", ["/bots/bot0", "/bots/bot1"])
async def test_a_feed_has_the_last_results_with_their_addresses(
    pages: OpenPages, store: Store, path: str
) -> None:
    await fill(store)
    async with pages(store) as client:
        answer = await client.get(f"{path}/feed.atom")
        root = ET.fromstring(answer.content)  # noqa: S314 -- of our own server
        links = [one.attrib["href"] for one in root.iterfind(f"{ATOM}entry/{ATOM}link")]
        found = [(await client.get(link)).status_code for link in links]
    assert "application/atom+xml" in answer.headers["content-type"]
    assert found == [200] * 3


async def test_a_feed_of_a_bot_that_is_not_there_is_not_there(
    pages: OpenPages, store: Store
) -> None:
    async with pages(store) as client:
        found = [
            (await client.get(path)).status_code
            for path in ("/bots/nobody/feed.atom", "/tournaments/none/feed.atom")
        ]
    assert found == [404, 404]


async def test_crawlers_are_told_what_is_no_page(pages: OpenPages) -> None:
    async with pages(base="/contest") as client:
        text = (await client.get("/contest/robots.txt")).text
    assert "Disallow: /contest/api/" in text.splitlines()


async def test_the_icon_is_found_where_browsers_look_for_it(pages: OpenPages) -> None:
    async with pages() as client:
        answer = await client.get("/favicon.ico", follow_redirects=True)
    assert answer.headers["content-type"].partition(";")[0] == "image/svg+xml"


def test_a_framed_match_plays(browser: Browser, store: Store) -> None:
    trio.run(fill, store)
    match = last_match(store)
    with pages_in_a_thread(store) as address, tab(browser, address) as page:
        page.goto(f"/embed/matches/{match.match}#turn=2")
        expect(page.locator(".viewer-board svg").first).to_be_visible()


def test_times_are_those_of_the_reader_without_the_day_of_today(
    browser: Browser, store: Store
) -> None:
    trio.run(fill, store)
    zone = {"timezone_id": "Asia/Kolkata"}
    with pages_in_a_thread(store) as address, tab(browser, address, **zone) as page:
        page.clock.set_fixed_time(last_match(store).started_ms / 1000)
        page.goto("/matches?lang=en")
        time = page.locator("time").first
        shown = "(t) => new Date(t.dateTime).toLocaleString('sv-SE').slice(0, 16)"
        whole = str(time.evaluate(shown))
        expect(time).to_have_text(f"today {whole[11:]}")
        page.clock.set_fixed_time(last_match(store).started_ms / 1000 + 3 * 24 * 3600)
        page.reload()
        expect(time).to_have_text(whole)
        assert "UTC" in str(time.get_attribute("title"))


def test_a_reader_marks_a_bot_as_theirs(browser: Browser, store: Store) -> None:
    trio.run(fill, store)
    with pages_in_a_thread(store) as address, tab(browser, address) as page:
        page.goto("/bots/bot1")
        page.get_by_role("button", name="My bot").click()
        page.goto("/bots")
        expect(page.locator("a.mine")).to_have_text(["bot1"])
        page.goto("/bots/bot1")
        page.get_by_role("button", name="My bot").click()
        page.goto("/bots")
        expect(page.locator("a.mine")).to_have_count(0)
