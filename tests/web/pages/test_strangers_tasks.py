"""Five tasks of somebody who sees the pages for the first time, each within three clicks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import count
from pathlib import Path

import msgspec
import pytest
import trio
from playwright.sync_api import Browser, Locator, Page, expect
from tests.recorded_matches import play_at_random
from tests.web.browsing import in_a_thread, tab
from tests.web.live.test_live_in_browser import Hosted, open_hosted
from tests.web.pages.test_front_page import SCREENS, fill_season

from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store

DESK, TELEPHONE = SCREENS[:2]
MOST_CLICKS = 3


@cache
def random_match(game: str, winner: int) -> MatchRecord:
    """A match of two that this seat wins alone."""
    ranking = [1 if seat == winner else 2 for seat in range(2)]
    found = (play_at_random(game, seed=seed) for seed in count(1))
    return next(record for record in found if record.ranking == ranking)


def first_name_wins_on_the_board(setup: MatchSetup) -> MatchRecord:
    """A script: whole matches, which the first in alphabetical order wins."""
    winner = setup.players.index(min(setup.players))
    return msgspec.structs.replace(random_match(setup.game, winner), setup=setup)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A tournament that ann has won, one to come, and two matches in play."""
    folder: Path = tmp_path_factory.mktemp("hosted")
    with Store.open(folder / "host.sqlite", for_play=True) as store:
        trio.run(fill_season, store, first_name_wins_on_the_board)
    with in_a_thread(partial(open_hosted, folder)) as opened:
        yield opened


class Stranger:
    """Looks at pages, and clicks as seldom as possible.

    Attributes:
        page: what is seen.
        clicks: how many were needed.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def choose(self, name: str) -> None:
        """Choose an entry of the menu, which a telephone opens first."""
        if self.page.get_by_role("button", name="Menu").is_visible():
            self.click(self.page.get_by_role("button", name="Menu"))
        self.click(self.page.locator("#menu").get_by_role("link", name=name, exact=True))


@contextmanager
def stranger(browser: Browser, hosted: Hosted, screen: dict[str, int]) -> Iterator[Stranger]:
    """Opens the first page; fails if more than three clicks were needed."""
    with tab(browser, hosted.address, viewport=screen, locale="en") as page:
        page.goto("/")
        one = Stranger(page)
        yield one
        assert one.clicks <= MOST_CLICKS


@pytest.fixture(params=[DESK, TELEPHONE], ids=["desk", "telephone"])
def someone(request: pytest.FixtureRequest, browser: Browser, hosted: Hosted) -> Iterator[Stranger]:
    with stranger(browser, hosted, request.param) as one:
        yield one


def test_who_won_the_last_tournament_and_why(someone: Stranger) -> None:
    page = someone.page
    expect(page.locator(".front-decided .champion")).to_contain_text("Winner: ann")
    someone.click(page.locator(".front-decided .champion").get_by_role("link", name="cup"))
    expect(page.locator(".champion")).to_have_text("Winner: ann")
    expect(page.locator(".final")).to_have_text("Final: ann 2 \N{EN DASH} bob 0")
    expect(page.locator("#body")).to_contain_text("The round in which a bot goes out decides")


def test_is_my_bot_on_line(someone: Stranger) -> None:
    someone.choose("Bots")
    line = someone.page.get_by_role("row").filter(has_text="first.0")
    expect(line.locator(".tag.live")).to_have_text("on line")
    expect(someone.page.get_by_role("row").filter(has_text="ann").locator(".tag")).to_have_count(0)
    someone.click(line.get_by_role("link"))
    expect(someone.page.locator(".achieved")).to_contain_text("on line")
    expect(someone.page.locator(".achieved")).to_contain_text("first.0 \N{EN DASH} first.1")


def test_what_is_played_next(someone: Stranger) -> None:
    coming = someone.page.locator(".front-next")
    expect(coming).to_contain_text("Round 1")
    expect(coming.locator(".countdown")).to_be_visible()
    someone.click(coming.get_by_role("link", name="next"))
    someone.click(someone.page.get_by_role("link", name="Schedule"))
    expect(someone.page.get_by_role("table").get_by_role("row").nth(1)).to_contain_text("ann")


def test_where_was_this_match_decided(someone: Stranger) -> None:
    page = someone.page
    someone.click(page.locator(".front-decided .result-line a").first)
    moment = page.locator(".moments button").first
    turn = moment.inner_text().partition(":")[0]
    someone.click(moment)
    expect(page.locator(".viewer-said")).to_contain_text(turn)
    expect(page.locator(".viewer-board")).to_be_in_viewport()


def test_show_the_final_on_the_projector(someone: Stranger) -> None:
    page = someone.page
    someone.click(page.locator(".front-decided .champion").get_by_role("link", name="cup"))
    someone.click(page.locator(".final").get_by_role("link"))
    someone.click(page.get_by_role("button", name="Projector"))
    expect(page.locator("html.projector .viewer-board .board-drawing")).to_be_visible()
    expect(page.locator(".viewer-head")).to_contain_text("ann")
    expect(page.locator(".top")).to_be_hidden()
