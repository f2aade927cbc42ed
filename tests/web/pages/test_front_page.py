"""The first page: what is played, what was decided, what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio
from playwright.sync_api import Browser, Request, expect
from tests.scripted.scripted_referee import Script
from tests.web.browsing import in_a_thread, pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.live.test_live_in_browser import open_hosted
from tests.web.pages.test_tournament_head import GAUNTLET, SWISS
from tests.web.pages.test_tournament_pages import settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played
from tests.web.records import fill

from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_store import Store, open_journal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

SCREENS = (
    {"width": 1440, "height": 900},
    {"width": 390, "height": 844},
    {"width": 1920, "height": 1080},
)
DESK = SCREENS[0]
LAST_PARTS = (".front-decided", ".front-next")
LATER_MS = 4_000_000_000_000
MAX_BYTES = 60_000
MOVED = "before => document.querySelector('#recorded-board svg').innerHTML != before"


async def fill_season(store: Store, script: Script = first_name_wins) -> None:
    """Recorded matches, a knockout played by the script, and a tournament that is to begin."""
    await fill(store)
    cup = msgspec.structs.replace(CUP, format="knockout", swiss=None, knockout=settings("knockout"))
    await played(cup, store, script)
    async with open_journal(store) as journal:
        next_cup = msgspec.structs.replace(CUP, name="next", format="round_robin", swiss=None)
        await RoundDrawer(next_cup, journal, Reporter()).begin()
    store.tournaments.set_closes("next", LATER_MS)


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Store.open(tmp_path_factory.mktemp("season") / "s.sqlite", for_play=True) as store:
        trio.run(fill_season, store)
        with pages_in_a_thread(store) as address:
            yield address


@pytest.mark.parametrize("screen", SCREENS)
def test_three_questions_are_answered_above_the_fold(
    browser: Browser, season: str, screen: dict[str, int]
) -> None:
    with tab(browser, season, viewport=screen) as page:
        page.goto("/?lang=en")
        for answer in (
            page.locator("#recorded-board .board-drawing"),
            page.locator(".front-decided .champion"),
            page.locator(".front-next .countdown"),
        ):
            expect(answer).to_be_visible()
            box = answer.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= screen["height"]
        expect(page.locator(".front-decided .champion")).to_contain_text("Winner: ann")
        expect(page.locator(".front-next")).to_contain_text("next")


def test_first_page_has_no_empty_column(browser: Browser, tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        trio.run(fill, store)
        with pages_in_a_thread(store) as address, tab(browser, address, viewport=DESK) as page:
            page.goto("/?lang=en")
            page.wait_for_load_state("networkidle")
            boxes = [page.locator(part).bounding_box() for part in (".front", *LAST_PARTS)]
    front, *parts = [box for box in boxes if box is not None]
    right = front["x"] + front["width"]
    assert [part["x"] + part["width"] for part in parts] == pytest.approx([right, right], abs=1)


def test_first_page_takes_the_room_of_a_large_window(browser: Browser, season: str) -> None:
    with tab(browser, season, viewport=SCREENS[2]) as page:
        page.goto("/?lang=en")
        boxes = [page.locator(part).bounding_box() for part in (".front", ".top .wide")]
    front, top = [box for box in boxes if box is not None]
    assert front["width"] > 0.85 * SCREENS[2]["width"]
    assert front["x"] >= top["x"]
    assert front["x"] + front["width"] <= top["x"] + top["width"]


def test_bracket_of_the_last_tournament_shows_its_final(browser: Browser, season: str) -> None:
    with tab(browser, season) as page:
        page.goto("/?lang=en")
        final = page.locator(".mini-bracket > li").last
        expect(final).to_contain_text("Final")
        expect(final.locator(".won")).to_contain_text("ann")


def test_recorded_match_plays_while_none_is_in_play(browser: Browser, season: str) -> None:
    with tab(browser, season) as page:
        page.goto("/?lang=en")
        drawing = page.locator("#recorded-board .board-drawing")
        expect(drawing).to_be_visible()
        before = drawing.inner_html()
        page.wait_for_function(MOVED, arg=before)
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def weight(browser: Browser, address: str, ready: str) -> int:
    """How many bytes a first visit takes until an element is there and the network is at rest."""
    loaded: list[Request] = []
    with tab(browser, address) as page:
        page.on("requestfinished", lambda request: loaded.append(request))
        page.goto("/")
        expect(page.locator(ready).first).to_be_visible()
        page.wait_for_load_state("networkidle")
        sizes = [one.sizes() for one in loaded]
    return sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)


def test_first_page_is_light(browser: Browser, season: str) -> None:
    assert weight(browser, season, "#recorded-board .board-drawing") <= MAX_BYTES


def test_first_page_is_light_with_matches_in_play(browser: Browser, tmp_path: Path) -> None:
    with Store.open(tmp_path / "host.sqlite", for_play=True) as store:
        trio.run(fill_season, store)
    with in_a_thread(partial(open_hosted, tmp_path)) as hosted:
        assert weight(browser, hosted.address, ".lead .board-drawing") <= MAX_BYTES


def test_result_of_a_match_that_ends_appears_by_itself(browser: Browser, tmp_path: Path) -> None:
    with (
        in_a_thread(partial(open_hosted, tmp_path)) as hosted,
        tab(browser, hosted.address) as page,
    ):
        page.goto("/?lang=en")
        expect(page.locator("#live-list .lead")).to_have_count(1)
        expect(page.locator(".front-decided")).to_contain_text("No result yet")
        hosted.end(0)
        expect(page.locator(".front-decided .result-line")).to_contain_text("first.0")


@pytest.mark.parametrize(
    ("cup", "lines"),
    [
        (GAUNTLET, ["bot-1 100.0 %", "bot-2 0.0 %", "bot-3 0.0 %", "bot-4 0.0 %"]),
        (SWISS, ["1 bot-1 3"]),
    ],
)
async def test_first_lines_of_a_table_show_what_decides(
    pages: OpenPages, tmp_path: Path, cup: TournamentConfiguration, lines: list[str]
) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            page = (await client.get("/?lang=en")).text
    table = re.search('<ol class="mini-table">(.*?)</ol>', page, re.DOTALL)
    assert table is not None
    found = re.findall("<li>(.*?)</li>", table[1])
    said = [" ".join(re.sub("<[^>]*>", " ", line).split()) for line in found]
    assert [line.removeprefix("\N{EN DASH} ") for line in said][: len(lines)] == lines


async def test_provisional_is_explained_once(pages: OpenPages, tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await fill(store)
        async with pages(store) as client:
            page = (await client.get("/?lang=en")).text
    assert page.count("the rating is provisional") == 1
    assert "provisional</span>" not in page


async def test_ladders_are_named_in_words_with_the_change_of_the_day(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await fill(store)
        [pool] = [one for one in store.ratings.pools() if one.game == "icecult"]
        expected = {row.bot: row.rating - 1500 for row in store.ladder.page(pool).rows}
        changes = store.ladder.changes_since(pool, 0)
        assert changes == pytest.approx(expected)
        assert store.ladder.changes_since(pool, LATER_MS) == {}
        async with pages(store) as client:
            page = (await client.get("/?lang=en")).text
    assert "Ice Cult · 3 players · " in page


async def test_empty_page_says_how_to_begin(pages: OpenPages, tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        async with pages(store) as client:
            assert "Nothing has been played here yet" in (await client.get("/?lang=en")).text
