"""What readers of tournaments' and bots' pages see at once: names, places, and where it stands."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from tests.web.conftest import OpenPages
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
