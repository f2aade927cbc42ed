"""What readers of tournaments' and bots' pages see at once: names, places, and where it stands."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
import trio
from playwright.sync_api import Browser
from tests.web.axe import axe_findings
from tests.web.browsing import pages_in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.pages.test_frozen_tables import LATER_MS
from tests.web.pages.test_tournament_pages import BOTS, settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_store import Store

ESCAPED_TWICE = re.compile(r"&amp;(#\d+|quot|amp|lt|gt);")


async def test_no_name_of_a_round_or_ladder_is_escaped_twice(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(
        CUP,
        bots=BOTS,
        swiss=None,
        format="double_elimination",
        double_elimination=settings("double_elimination"),
        options={"rows": 6},
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        pool = store.ratings.pools()[0]
        ladder = f"/ladder/{pool.game}/{pool.players}"
        query = {"clock_class": pool.clock_class, "variant": pool.variant}
        async with pages(store) as client:
            for path in ("/tournaments/cup/rounds", "/tournaments/cup", "/bots/bot-1", "/ladder"):
                text = (await client.get(path)).text
                assert ESCAPED_TWICE.findall(text) == [], path
            for path in (ladder, f"{ladder}/analysis"):
                text = (await client.get(path, params=query)).text
                assert ESCAPED_TWICE.findall(text) == [], path
            assert '"' in pool.variant or "=" in pool.variant


async def test_bots_are_listed_by_name_whatever_their_capitals(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "bots.sqlite", for_play=True) as store:
        for name in ("Zodiac", "auk", "Byrd", "tern"):
            store.bots.set_token(name, b"0" * 32)
        listed = [row.name for row in store.bots.page().rows]
        second = store.bots.page(size=2)
        third = store.bots.page(size=2, after=second.after)
        back = store.bots.page(size=2, before=third.before)
        async with pages(store) as client:
            text = (await client.get("/bots?lang=en")).text
    assert listed == ["auk", "Byrd", "tern", "Zodiac"]
    assert [row.name for row in (*second.rows, *third.rows)] == listed
    assert back.rows == second.rows
    assert "<th>State</th>" not in text


async def test_page_has_no_section_that_says_that_there_is_nothing(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert "Forfeits by reason" not in text
    assert "numpy" not in text


def lines(text: str) -> list[str]:
    """The words of each line of the page's first table."""
    body = text.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = (re.sub(r"<[^>]*>", " ", row) for row in body.split("</tr>"))
    return [" ".join(row.split()) for row in rows if row.strip()]


async def test_running_bracket_tells_who_is_still_in_and_who_went_out(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(
        CUP, bots=BOTS[:4], swiss=None, format="knockout", knockout=settings("knockout")
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        with closing(sqlite3.connect(tmp_path / "cup.sqlite")) as database, database:
            database.execute("UPDATE matches SET started_ms = substr(name, 5)")  # cup-1, cup-2
        store.tournaments.hide_results("cup", LATER_MS, 3)
        async with pages(store) as client:
            found = lines((await client.get("/tournaments/cup?lang=en")).text)
        store.tournaments.hide_results("cup", None)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert [line.split()[1] for line in found] == ["bot-1", "bot-2", "bot-3", "bot-4"]
    assert "still in Final" in found[0]
    assert "still in Semi-finals" in found[1]
    assert found[3].startswith("4 bot-4 Semi-finals")
    assert "still in" not in " ".join(lines(text))
    assert "Places follow points" not in text


async def test_gauntlet_has_shares_and_challengers_and_no_winner(
    pages: OpenPages, tmp_path: Path
) -> None:
    gauntlet = settings("gauntlet")
    cup = msgspec.structs.replace(
        CUP, bots=BOTS[:4], swiss=None, format="gauntlet", gauntlet=gauntlet
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
    assert lines(text)[0].startswith("bot-1 challenger 100.0 %")
    assert "Winner" not in text


def test_tabs_stay_and_wide_tables_use_the_window(browser: Browser, tmp_path: Path) -> None:
    knockout = settings("knockout")
    cup = msgspec.structs.replace(CUP, bots=BOTS, swiss=None, format="knockout", knockout=knockout)
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        trio.run(played, cup, store, first_name_wins)
        size = {"width": 1440, "height": 900}
        with pages_in_a_thread(store) as address, tab(browser, address, viewport=size) as page:
            left = []
            for path in ("", "/rounds", "/crosstable"):
                page.goto(f"/tournaments/cup{path}")
                box = page.locator(".tabs").bounding_box()
                assert box is not None
                left.append(box["x"])
                assert page.evaluate("document.documentElement.scrollWidth") == 1440
            links = page.locator(".bracket-drawing a.board")
            page.goto("/tournaments/cup/rounds?lang=en")
            name = links.first.text_content() or ""
    assert len(set(left)) == 1
    assert name.startswith("bot-")
    assert ", match " in name


async def test_table_shows_what_decides_and_more_columns_by_choice(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
            whole = (await client.get("/tournaments/cup?lang=en&columns=all")).text
    head = text.partition("<tbody>")[0]
    assert "Score</th>" in head
    assert [name for name in ("Points", "Forfeits", "Rating") if f"{name}</th>" in head] == []
    assert "columns=all" in text
    assert "Rating</th>" in whole


async def test_crosstable_has_names_totals_and_a_scale_of_colours(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup/crosstable?lang=en")).text
    assert text.count('class="column-name"') == len(CUP.bots)
    assert "ann 6 / 6 100.0 %" in " ".join(lines(text))
    assert (text.count("share-10"), text.count("share-0")) == (6, 6)


async def test_rounds_of_a_swiss_have_winners_in_bold_and_links_to_boards(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(CUP, bots=BOTS[:4], swiss=settings("swiss"))
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup/rounds?lang=en")).text
    assert text.count('<li class="won">') == 3 * 2
    assert [n for n in range(1, 13) if f'/matches/cup-{n}"' not in text] == []


async def test_standings_link_to_matches_that_stand_out(pages: OpenPages, tmp_path: Path) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store, first_name_wins)
        async with pages(store) as client:
            text = (await client.get("/tournaments/cup?lang=en")).text
        store.tournaments.hide_results("cup", LATER_MS, freezes_ms=1)
        async with pages(store) as client:
            frozen = (await client.get("/tournaments/cup?lang=en")).text
    assert "The longest match" in text
    assert "The longest match" not in frozen


@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_on_the_pages_of_tournaments(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    swiss = msgspec.structs.replace(CUP, name="swiss", bots=BOTS, swiss=settings("swiss"))
    knockout = msgspec.structs.replace(
        CUP, bots=BOTS, swiss=None, format="knockout", knockout=settings("knockout")
    )
    paths = [
        f"/tournaments/{name}{part}"
        for name in ("swiss", "cup")
        for part in ("", "/rounds", "/crosstable")
    ]
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        for one in (swiss, knockout):
            trio.run(played, one, store, first_name_wins)
        size = {"width": width, "height": 900}
        with pages_in_a_thread(store) as address, tab(browser, address, viewport=size) as page:
            found = []
            for path in paths:
                page.goto(path)
                found += [(path, *finding) for finding in axe_findings(page)]
                assert page.evaluate("document.documentElement.scrollWidth") == width, path
    assert found == []
