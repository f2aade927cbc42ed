"""Pages show the result of a match that is kept back, and nothing of what happened in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_store import Store, schema

ANSWERS = (
    "/matches/cup-1/replay",
    "/matches/cup-1/text",
    "/matches/cup-1/html",
    "/api/v1/matches/cup-1/frames",
)


async def unfinished_cup(path: Path) -> Store:
    """A tournament that keeps its matches back, with one match to play again."""
    store = Store.open(path, for_play=True)
    await played(CUP, store, first_name_wins)
    store.tournaments.set_reveal("cup", "tournament")
    table = schema.pairings
    with store.database.writing() as connection:
        connection.execute(sa.update(table).where(table.c.number == 6).values(state="open"))
    return store


@pytest.mark.parametrize("path", ANSWERS)
async def test_no_address_gives_what_happened_in_it(
    pages: OpenPages, tmp_path: Path, path: str
) -> None:
    with await unfinished_cup(tmp_path / "cup.sqlite") as store:
        async with pages(store) as client:
            answer = await client.get(path)
    assert answer.status_code in {403, 404}
    assert "can be seen when its round, or the whole of cup, is over" in answer.text


async def test_its_page_and_the_api_give_its_result(pages: OpenPages, tmp_path: Path) -> None:
    with await unfinished_cup(tmp_path / "cup.sqlite") as store:
        async with pages(store) as client:
            page = await client.get("/matches/cup-1")
            match = (await client.get("/api/v1/matches/cup-1")).json()
    assert (page.status_code, sorted(seat["rank"] for seat in match["seats"])) == (200, [1, 2])
    assert re.search(r'"kept_back": ?true', page.text)
    assert "/matches/cup-1/replay" not in page.text


async def test_page_of_a_match_in_play_says_that_its_deal_comes_again(
    pages: OpenPages, tmp_path: Path
) -> None:
    with await unfinished_cup(tmp_path / "cup.sqlite") as store:
        matches, tournaments = schema.matches, schema.tournaments
        with store.database.writing() as connection:
            connection.execute(sa.update(tournaments).values(duplicate=True, reveal="match"))
            connection.execute(
                sa.update(matches).where(matches.c.name == "cup-6").values(reason=None)
            )
        async with pages(store) as client:
            page = await client.get("/matches/cup-6")
            answer = await client.get("/api/v1/matches/cup-6/frames")
            other = await client.get("/matches/cup-1")
    assert re.search(r'"deal_comes_again": ?true', page.text)
    assert "when all matches with its deal are over" in answer.text
    assert re.search(r'"kept_back": ?false', other.text)


async def test_archive_of_replays_leaves_it_out(pages: OpenPages, tmp_path: Path) -> None:
    with await unfinished_cup(tmp_path / "cup.sqlite") as store:
        async with pages(store) as client:
            kept = len((await client.get("/tournaments/cup/replays.zip")).content)
            store.tournaments.set_reveal("cup", "match")
            shown = len((await client.get("/tournaments/cup/replays.zip")).content)
    assert kept < 100 < shown
