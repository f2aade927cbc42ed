"""The pages in a browser: a ladder with its chart, the operator's login, names that mean harm."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest
import trio
from benchmarks.crowd import Crowd, fill
from playwright.sync_api import Browser, Page, expect
from tests.web.browsing import in_a_thread, tab
from tests.web.records import fill as fill_records
from tests.web.records import played

from polynya_contest.ratings.model import RatingSettings
from polynya_server import hash_token
from polynya_store import Attempt, Pool, Store, open_journal
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.tournament.manager import ManagerSettings, open_tournament_manager
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_web.content.ladder_orders import ladder_estimates
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

TOKEN = "the-operators-own-token"  # noqa: S105
HOSTILE = '<img src=x onerror="document.title=1">\u202eevil\x07</script>&"'
"""Markup, a right-to-left override, a bell, the end of a script, what ends an attribute."""

TELEPHONE = {"width": 360, "height": 720}
PATHS = [
    "/",
    "/live",
    "/matches",
    "/ladder",
    "/ladder/packeis/2",
    "/tournaments",
    "/tournaments/cup-1",
    "/tournaments/cup-1/crosstable?bot=bot-0002",
    "/tournaments/cup-1/schedule",
    "/bots",
    "/bots/bot-0002",
]


SATURATED = """
(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && data[at + 2] - data[at] > 90) found += 1;
  return found;
}
"""
"""How many pixels are as blue as the first line."""

SPREAD = """
(canvas) => {
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const columns = [];
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && data[at + 2] - data[at] > 90) columns.push((at / 4) % width);
  columns.sort((one, other) => one - other);
  return (columns.at(-1) - columns[0]) / width;
}
"""
"""Which part of the width the first line takes."""


@asynccontextmanager
async def open_operated(store: Store, ladder: PauseSwitch) -> AsyncIterator[str]:
    """Pages with an operator: their address."""
    async with open_tournament_manager(ManagerSettings(None), store) as tournaments:
        control = OperatorControl(hash_token(TOKEN), tournaments, ladder, {"game": HOSTILE})
        async with open_web(WebSettings(port=0), PageSources(store, control=control)) as address:
            yield address


@contextmanager
def operated(store: Store) -> Iterator[tuple[str, PauseSwitch]]:
    """Pages with an operator, in a trio loop of their own: their address, the ladder's switch."""
    ladder = PauseSwitch()
    with in_a_thread(lambda: open_operated(store, ladder)) as address:
        yield address, ladder


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A season in which one bot has a name that no server would have let in."""
    path = tmp_path_factory.mktemp("season") / "season.sqlite"
    fill(path, Crowd(bots=30, matches=1_500, tournaments=2))
    with Store.open(path, for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE bots SET name = ? WHERE id = 1", (HOSTILE,))
            connection.exec_driver_sql(
                "UPDATE ratings SET rating = 9000 WHERE bot_id = 1 AND game = 'packeis'"
            )
        yield store


@pytest.fixture(scope="module")
def site(season: Store) -> Iterator[tuple[str, PauseSwitch]]:
    with operated(season) as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, site: tuple[str, PauseSwitch]) -> Iterator[Page]:
    with tab(browser, site[0]) as opened:
        yield opened


LADDER = Pool("packeis", 2, "elo", "bullet")


def test_a_ladder_draws_the_ratings_over_time(page: Page, season: Store) -> None:
    page.goto("/ladder/packeis/2")
    expect(page.locator("#rating-chart canvas")).to_be_visible()
    legend = page.locator("#rating-chart .u-legend .u-label")
    names = [
        row.bot for row in season.ladder.page(LADDER, ladder_estimates(season, LADDER), size=5).rows
    ]
    expect(legend).to_have_count(1 + len(names))
    assert [label.text_content() for label in legend.all()][2:] == names[1:]


def test_ratings_are_drawn_match_by_match_or_day_by_day(page: Page) -> None:
    page.goto("/ladder/packeis/2?lang=en")
    place = page.locator("#rating-chart .u-legend .u-label").first
    expect(place).to_have_text("Match")
    page.get_by_role("button", name="By day").click()
    expect(place).to_have_text("Day")


def of_the_rating_chart(
    browser: Browser,
    database: Path,
    fill: Callable[[Store], Awaitable[None]],
    script: str,
) -> float:
    """A figure of the chart on a bot's page, over a database that ``fill`` has filled."""
    with Store.open(database, for_play=True) as store:
        trio.run(fill, store)
        with operated(store) as (address, _), tab(browser, address) as page:
            page.goto("/bots/bot0")
            chart = page.locator("#rating-chart canvas")
            expect(chart).to_be_visible()
            return float(chart.evaluate(script))


def test_rating_of_one_match_is_drawn(browser: Browser, tmp_path: Path) -> None:
    coloured = of_the_rating_chart(browser, tmp_path / "one.sqlite", fill_records, SATURATED)
    assert coloured > 20


def test_matches_within_a_minute_are_drawn_apart(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "two.sqlite"
    spread = of_the_rating_chart(browser, database, play_two_within_a_minute, SPREAD)
    assert spread > 0.1


async def play_two_within_a_minute(store: Store) -> None:
    async with open_journal(store) as journal:
        for number in range(2):
            record = played("packeis", 2, seed=number)
            setup = await journal.begin(Attempt(record.setup, RatingSettings()))
            finished_ms = record.finished_ms + 20_000 * number
            await journal.finish(
                msgspec.structs.replace(record, setup=setup, finished_ms=finished_ms)
            )


def test_a_chart_is_there_as_a_table_too(page: Page) -> None:
    page.goto("/ladder/packeis/2")
    page.get_by_text("The chart as a table").click()
    expect(page.locator(".tables table")).to_have_count(5)
    expect(page.locator(".tables table").first).to_be_visible()


def test_a_ladder_can_be_paged_with_the_keyboard(page: Page) -> None:
    page.goto("/matches")
    older = page.get_by_role("link", name="Older")
    older.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Newer")).to_be_visible()


@pytest.mark.parametrize("path", ["/ladder/packeis/2", "/bots", "/matches?bot=" + quote(HOSTILE)])
def test_a_name_that_means_harm_is_text(page: Page, path: str) -> None:
    page.goto(path)
    shown = page.locator("bdi").filter(has_text='<img src=x onerror="document.title=1">').first
    expect(shown).to_be_visible()
    assert shown.text_content() == HOSTILE.replace("\u202e", "?").replace("\x07", "?")
    assert page.locator("main img").count() == 0
    assert page.title() != "1"


def test_a_name_that_means_harm_leads_to_its_page(page: Page) -> None:
    page.goto("/ladder/packeis/2")
    page.locator("td bdi").filter(has_text="<img src=x").first.click()
    expect(page.locator("h1 bdi")).to_contain_text("<img src=x")
    expect(page.locator("#rating-chart canvas")).to_be_visible()


def test_the_operator_logs_in_and_pauses_the_ladder(
    page: Page, site: tuple[str, PauseSwitch]
) -> None:
    page.goto("/operator")
    page.get_by_label("Token").fill("not the token at all")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("This is not the token.")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("status")).to_have_text("The ladder is paused.")
    assert site[1].paused
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("status")).to_have_text("The ladder goes on.")
    assert not site[1].paused
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    page.goto("/operator")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()


def test_the_operator_adds_a_bot_and_suspends_it(page: Page, season: Store) -> None:
    page.goto("/operator")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Bots", exact=True).last.click()
    page.get_by_label("New bot").fill("newcomer")
    page.keyboard.press("Enter")
    token = page.locator("code.token").text_content()
    assert season.bots.token_hash("newcomer") == hash_token(token or "")
    line = page.locator("tr").filter(has_text="newcomer")
    line.get_by_text("Suspend", exact=True).first.click()
    line.get_by_label("Reason").fill("it floods its log")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("newcomer gets no matches on the ladder.")
    assert season.bots.get("newcomer").suspension == "it floods its log"


def test_text_shown_to_the_operator_is_escaped(page: Page) -> None:
    page.goto("/operator")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.get_by_text('<img src=x onerror="document.title=1">')).to_be_visible()
    assert page.locator("main img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_on_a_telephone(
    browser: Browser, site: tuple[str, PauseSwitch], scheme: str
) -> None:
    with tab(browser, site[0], viewport=TELEPHONE, color_scheme=scheme) as page:
        for path in PATHS:
            page.goto(path)
            expect(page.locator("h1")).to_be_visible()
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= TELEPHONE["width"], path


def test_a_running_tournament_is_kept_up_to_date(browser: Browser, tmp_path: Path) -> None:
    fill(tmp_path / "small.sqlite", Crowd(bots=4, matches=100, tournaments=1))
    with Store.open(tmp_path / "small.sqlite", for_play=True) as store:
        with store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE matches SET reason = NULL WHERE id = 1")
            connection.exec_driver_sql("UPDATE pairings SET state = 'open' WHERE id = 1")
        with operated(store) as (address, _), tab(browser, address) as page:
            page.goto("/tournaments/cup-1/schedule")
            expect(page.locator("#state")).to_contain_text("1 match in play", ignore_case=True)
            with store.database.writing() as connection:
                connection.exec_driver_sql("UPDATE matches SET reason = 'finished' WHERE id = 1")
                connection.exec_driver_sql("UPDATE pairings SET state = 'played' WHERE id = 1")
            expect(page.locator("#progress .counted")).to_have_text("10 / 12")
            expect(page.locator("#state")).to_contain_text("no match is in play", ignore_case=True)
