"""Tables that freeze before their end: nothing tells what is hidden, and the reveal shows it."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio
from axe_playwright_python.sync_playwright import Axe
from benchmarks.crowd import Crowd, fill
from playwright.sync_api import Browser, expect
from tests.web.browsing import pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.pages.test_lists import PACKEIS
from tests.web.pages.test_tournament_pages import BOTS, settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_store import MatchFilter, Store

LATER_MS = 4_000_000_000_000
SHOWN = 6
"""How many of the ten matches began before the table froze."""


def began(store: Store, tournament: str = "cup-1") -> list[tuple[int, str]]:
    """When each match began, and its id, in order."""
    rows = store.matches.page(MatchFilter(tournament=tournament), size=200).rows
    return sorted((row.started_ms, row.match) for row in rows)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Store]:
    """A tournament of ten matches whose table froze after the first six."""
    fill(tmp_path / "small.sqlite", Crowd(bots=4, matches=100, tournaments=1))
    with Store.open(tmp_path / "small.sqlite", for_play=True) as store:
        freeze(store)
        yield store


def freeze(store: Store) -> None:
    store.tournaments.hide_results("cup-1", LATER_MS, freezes_ms=began(store)[SHOWN][0])


async def test_table_counts_what_began_before_it_froze(pages: OpenPages, small: Store) -> None:
    whole = small.tournaments.standings("cup-1")
    async with pages(small) as client:
        told = (await client.get("/api/v1/tournaments/cup-1")).json()
        table = (await client.get("/tournaments/cup-1?lang=en")).text
    assert (told["hidden"], told["frozen"], told["complete"]) == (False, True, False)
    assert sum(row["games"] for row in told["rows"]) == 2 * SHOWN
    assert sum(row.games for row in whole.rows) == 20
    assert (told["played"], told["scheduled"]) == (SHOWN, 12)
    assert "The table is frozen" in table
    assert "Winner" not in table


async def test_no_page_tells_a_result_of_after_the_freeze(pages: OpenPages, small: Store) -> None:
    hidden = [match for _, match in began(small)[SHOWN:]]
    async with pages(small) as client:
        for match in hidden:
            document = (await client.get(f"/api/v1/matches/{match}")).json()
            assert {seat["rank"] for seat in document["seats"]} == {None}, match
            codes = [
                (await client.get(path)).status_code
                for path in (
                    f"/api/v1/matches/{match}/frames",
                    f"/matches/{match}/replay",
                    f"/matches/{match}/text",
                )
            ]
            assert codes == [404, 403, 403]
        schedule = (await client.get("/tournaments/cup-1/schedule")).text
        listed = (await client.get("/matches?tournament=cup-1")).text
        feed = (await client.get("/tournaments/cup-1/feed.atom?lang=en")).text
    assert (schedule.count('class="score"'), listed.count('class="score"')) == (12, 12)
    assert feed.count("told later") == len(hidden)
    assert sum(sum(found.values()) for found in small.tournaments.forfeits("cup-1").values()) <= 12


def test_ladders_do_not_count_forfeits_of_hidden_results(tmp_path: Path) -> None:
    fill(tmp_path / "long.sqlite", Crowd(bots=4, matches=1_000, tournaments=1))
    with Store.open(tmp_path / "long.sqlite", for_play=True) as store:

        def forfeits() -> Counter[str]:
            return Counter({row.bot: row.forfeits for row in store.ladder.page(PACKEIS).rows})

        all_told = forfeits()
        store.tournaments.hide_results("cup-1", LATER_MS)
        hidden = Counter(
            seat.name
            for row in store.matches.find(tournament="cup-1")
            for seat in row.seats
            if seat.forfeit is not None
        )
        assert hidden.total() > 0
        assert all_told - hidden == +forfeits()


async def test_replays_are_one_file_without_what_is_hidden(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins)
        names = [match for _, match in began(store, "cup")]
        async with pages(store) as client:
            whole = await client.get("/tournaments/cup/replays.zip")
            store.tournaments.hide_results("cup", LATER_MS, began(store, "cup")[3][0])
            part = await client.get("/tournaments/cup/replays.zip")
            store.tournaments.hide_results("cup", LATER_MS)
            refused = (await client.get("/tournaments/cup/replays.zip")).status_code
            missing = (await client.get("/tournaments/none/replays.zip")).status_code
        document = store.matches.replay(names[0])
        shown = {f"{match}.replay" for _, match in began(store, "cup")[:3]}
    assert whole.headers["content-disposition"] == 'attachment; filename="cup-replays.zip"'
    archive = zipfile.ZipFile(io.BytesIO(whole.content))
    assert archive.testzip() is None
    assert sorted(archive.namelist()) == sorted(f"{name}.replay" for name in names)
    assert archive.read(f"{names[0]}.replay") == document
    assert set(zipfile.ZipFile(io.BytesIO(part.content)).namelist()) <= shown
    assert (refused, missing) == (403, 404)


@pytest.mark.parametrize("name", ["knockout", "double_elimination"])
async def test_later_rounds_do_not_tell_who_won_the_hidden_ones(
    pages: OpenPages, tmp_path: Path, name: str
) -> None:
    cup = msgspec.structs.replace(CUP, bots=BOTS, swiss=None, format=name, **{name: settings(name)})
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        drawn = store.tournaments.schedule_page("cup", size=1_000)
        store.tournaments.hide_results("cup", LATER_MS, freezes_ms=1)
        shown = store.tournaments.schedule_page("cup", size=1_000)
        rounds = store.tournaments.standings("cup", public=True).rounds
        async with pages(store) as client:
            codes = [
                (await client.get(f"/tournaments/cup{part}")).status_code
                for part in ("", "/rounds", "/crosstable", "/schedule", "/progress")
            ]
    assert {row.block.split("/")[1] for row in shown} == {"1"}
    assert len({row.block.split("/")[1] for row in drawn}) > 1
    points = [meeting.points for one in rounds for meeting in one.meetings if meeting.note != "bye"]
    assert all(set(found) <= {0} for found in points)
    assert codes == [200] * 5


async def test_reveal_is_for_the_operator_until_results_are_shown(
    pages: OpenPages, small: Store
) -> None:
    async with pages(small) as client:
        before = (await client.get("/tournaments/cup-1/reveal")).status_code
        small.tournaments.hide_results("cup-1", 2, freezes_ms=1)
        after = (await client.get("/tournaments/cup-1/reveal")).status_code
        small.tournaments.hide_results("cup-1", None)
        never = (await client.get("/tournaments/cup-1/reveal")).status_code
    assert (before, after, never) == (403, 200, 404)


async def test_published_report_and_bundle_are_linked_once_results_are_shown(
    pages: OpenPages, small: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "cup-1.html").write_text("<p>report</p>")
    (folder / "cup-1.zip").write_bytes(b"PK")
    paths = ("/tournaments/cup-1/report.html", "/tournaments/cup-1/bundle.zip")
    async with pages(small, reports=str(folder)) as client:
        hidden = [(await client.get(path)).status_code for path in paths]
        small.tournaments.hide_results("cup-1", None)
        answers = [await client.get(path) for path in paths]
        table = (await client.get("/tournaments/cup-1")).text
        outside = (await client.get("/tournaments/..%2Fsmall/report.html")).status_code
    assert hidden == [403, 403]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert "sandbox" in answers[0].headers["content-security-policy"]
    assert [path in table for path in paths] == [True, True]
    assert outside == 404


def test_reveal_goes_from_the_last_place_to_the_winner(browser: Browser, tmp_path: Path) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, CUP, store, first_name_wins)
        final = [row.name for row in store.tournaments.standings("cup").rows]
        store.tournaments.hide_results("cup", 2)
        with pages_in_a_thread(store) as address, tab(browser, address) as page:
            page.goto("/tournaments/cup/reveal?lang=en")
            rows, said = page.locator("#reveal-rows tr"), page.locator("#reveal-said")
            expect(rows).to_have_count(len(final))
            expect(page.locator(".reveal-open")).to_have_count(len(final))
            page.keyboard.press("ArrowRight")
            expect(rows.last).to_contain_text(final[-1])
            expect(rows.last).to_have_class("reveal-now")
            expect(said).to_contain_text(final[-1])
            page.keyboard.press("PageDown")
            page.get_by_role("button", name="Next place").click()
            page.reload()
            expect(page.locator(".reveal-open")).to_have_count(len(final) - 3)
            page.keyboard.press("ArrowLeft")
            expect(page.locator(".reveal-open")).to_have_count(len(final) - 2)
            for _ in range(2):
                page.keyboard.press("ArrowRight")
            expect(said).to_contain_text(f"Winner: {final[0]}")
            expect(page.locator("#reveal-rows .named")).to_have_text(final)
            page.keyboard.press("ArrowRight")
            expect(page.locator("#reveal-winner")).to_contain_text(final[0])
            expect(page.locator(".reveal-frame")).to_be_hidden()
            expect(page.get_by_role("button", name="Next place")).to_be_disabled()
            assert Axe().run(page).response["violations"] == []


def test_reveal_names_an_earlier_place_only_of_a_bot_that_had_played(
    browser: Browser, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, CUP, store, first_name_wins)
        upwards = store.tournaments.standings("cup").rows[:0:-1]
        store.tournaments.hide_results("cup", 2)
        with pages_in_a_thread(store) as address, tab(browser, address) as page:
            page.goto("/tournaments/cup/reveal?lang=en")
            for row in upwards:
                page.keyboard.press("ArrowRight")
                expect(page.locator("#reveal-said")).to_have_text(
                    f"{row.place}. {row.name}: Score {row.figures['score']:g}"
                )


def test_reveal_begins_for_a_projector_by_its_address(browser: Browser, tmp_path: Path) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, CUP, store, first_name_wins)
        store.tournaments.hide_results("cup", 2)
        with pages_in_a_thread(store) as address, tab(browser, address) as page:
            page.goto("/tournaments/cup/reveal?projector#step=1")
            expect(page.locator("#reveal-rows .reveal-now")).to_be_visible()
            expect(page.locator(".top")).to_be_hidden()


@pytest.mark.parametrize("wrong_s", [0, -5_000, 5_000])
def test_countdown_runs_by_the_clock_of_the_server(
    browser: Browser, small: Store, wrong_s: int
) -> None:
    begins_ms = time.time_ns() // 10**6 + 7_230_000  # in 2 h and half a minute
    small.tournaments.hide_results("cup-1", begins_ms)
    with pages_in_a_thread(small) as address, tab(browser, address) as page:
        page.clock.install(time=time.time() + wrong_s)
        page.goto("/tournaments/cup-1?lang=en")
        expect(page.locator(".countdown").last).to_contain_text(re.compile(r"0(2:00|1:59):"))
