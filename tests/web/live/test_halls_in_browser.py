"""The television and the wall in a hall: pinned to a tournament or a game, and never empty."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
import trio
from playwright.sync_api import Browser, expect
from tests.web.axe import axe_findings
from tests.web.browsing import in_a_thread, pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.live.test_live_in_browser import Hosted, open_hosted
from tests.web.pages.test_front_page import LATER_MS, fill_season
from tests.web.pages.test_tournament_pages import settings
from tests.web.pages.test_tournament_verdict import CUP
from tests.web.playing import followed, open_host

from polynya_store import Store, open_journal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

WIDE = {"width": 1920, "height": 1080}
TELEPHONE = {"width": 390, "height": 844}
APART = 8
"""Pixels between two names in one line."""


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    with in_a_thread(partial(open_hosted, tmp_path)) as opened:
        yield opened


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Store.open(tmp_path_factory.mktemp("season") / "s.sqlite", for_play=True) as store:
        trio.run(fill_season, store)
        with pages_in_a_thread(store) as address:
            yield address


async def test_television_of_a_game_shows_no_other(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await host.table("floes")
        await host.table("towers", "icecult")
        async with followed(client, "/api/v1/tv?game=packeis") as events:
            assert await events.until("featured") == {"match": "floes"}
        async with followed(client, "/api/v1/tv?game=icecult") as events:
            assert await events.until("featured") == {"match": "towers"}
        async with followed(client, "/api/v1/tv?tournament=none") as events:
            assert await events.next() == ("waiting", {"next_s": None})


@pytest.mark.parametrize("path", ["/tv", "/wall"])
@pytest.mark.parametrize("pin", ["tournament", "game"])
async def test_unknown_pin_is_said(pages: OpenPages, tmp_path: Path, path: str, pin: str) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        async with pages(store) as client:
            page = (await client.get(f"{path}?{pin}=nonesuch&lang=en")).text
    assert f"There is no {pin} nonesuch" in page


def test_wall_of_a_game_shows_no_other(browser: Browser, hosted: Hosted) -> None:
    with tab(browser, hosted.address) as page:
        page.goto("/wall?game=packeis")
        expect(page.locator(".live-card")).to_have_count(2)
        page.goto("/wall?game=arktia")
        expect(page.locator("#live-none")).to_be_visible()
        expect(page.locator(".live-card")).to_have_count(0)


@pytest.mark.parametrize("results_from_ms", [None, LATER_MS])
async def test_wall_of_a_bracket_in_play_shows_its_rounds_unless_results_are_hidden(
    pages: OpenPages, tmp_path: Path, results_from_ms: int | None
) -> None:
    cup = msgspec.structs.replace(CUP, format="knockout", swiss=None, knockout=settings("knockout"))
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        async with open_journal(store) as journal:
            await RoundDrawer(cup, journal, Reporter()).begin()
        store.tournaments.hide_results("cup", results_from_ms)
        async with pages(store) as client:
            page = (await client.get("/wall?tournament=cup&lang=en")).text
    strip = page.partition('<ol class="mini-bracket">')[2].partition("</ol>")[0]
    names = re.findall("<bdi>(.*?)</bdi>", strip)
    if results_from_ms is None:
        assert "Semi-finals" in strip
        assert strip.count('<li class="open">') == 2
        assert sorted(names) == ["ann", "bob", "cid", "dot"]
    else:
        assert names == []


def test_names_on_a_television_stand_apart_on_a_telephone(browser: Browser, season: str) -> None:
    with tab(browser, season, viewport=TELEPHONE) as page:
        page.goto("/tv?lang=en")
        players = page.locator(".tv-player")
        expect(players.first).to_be_visible()
        boxes = [box for one in players.all() if (box := one.bounding_box())]
    for one, other in pairwise(boxes):
        assert one["y"] != other["y"] or other["x"] - one["x"] - one["width"] >= APART


def test_words_above_the_list_take_the_width_of_a_telephone(
    browser: Browser, hosted: Hosted
) -> None:
    with tab(browser, hosted.address, viewport=TELEPHONE) as page:
        page.goto("/live?lang=en")
        expect(page.locator(".live-card").first).to_be_visible()
        expect(page.locator("p.lead")).to_have_css("display", "block")


def test_scores_on_a_wall_are_larger_than_clocks_and_in_line(
    browser: Browser, hosted: Hosted
) -> None:
    with tab(browser, hosted.address, viewport=WIDE) as page:
        page.goto("/wall?projector")
        score, clock = page.locator(".live-seat .score").first, page.locator(".clock").first
        expect(clock).not_to_be_empty()
        size = "one => parseFloat(getComputedStyle(one).fontSize)"
        assert score.evaluate(size) > clock.evaluate(size)
        ends = [
            box["x"] + box["width"]
            for one in page.locator(".live-card").first.locator(".score").all()
            if (box := one.bounding_box())
        ]
        assert max(ends) - min(ends) < 1


def test_wall_shows_its_address_as_a_code_within_the_window(
    browser: Browser, hosted: Hosted
) -> None:
    with tab(browser, hosted.address, viewport=WIDE) as page:
        page.goto("/wall?projector&game=packeis")
        expect(page.locator(".small-board .board-drawing")).to_have_count(2)
        expect(page.locator(".qr svg")).to_be_visible()
        expect(page.locator(".qr figcaption")).to_have_text(f"{hosted.address}/wall?game=packeis")
        assert page.evaluate("document.documentElement.scrollHeight") <= WIDE["height"]


def test_television_says_nothing_of_no_match_while_one_is_in_play(
    browser: Browser, hosted: Hosted
) -> None:
    with tab(browser, hosted.address, java_script_enabled=False) as page:
        page.goto("/tv?lang=en")
        expect(page.locator("#tv-state")).not_to_contain_text("No match")


def test_television_without_a_match_in_play_shows_a_recorded_one(
    browser: Browser, season: str
) -> None:
    with tab(browser, season) as page:
        page.goto("/tv?lang=en")
        expect(page.locator(".board-drawing").first).to_be_visible()
        expect(page.locator(".tv-about")).to_contain_text("Recorded match")
        expect(page.locator(".viewer-head > .viewer-result")).to_be_hidden()  # no end told
        expect(page.locator("#tv-between")).to_contain_text("next")
        expect(page.locator(".ticker")).to_contain_text("ann")
        assert axe_findings(page) == []


def test_television_of_a_tournament_tells_its_winner_between_matches(
    browser: Browser, season: str
) -> None:
    with tab(browser, season) as page:
        page.goto("/tv?tournament=cup&lang=en")
        expect(page.locator("#tv-between .champion")).to_contain_text("Winner: ann")
        expect(page.locator("#tv-between .mini-bracket")).to_contain_text("Final")
