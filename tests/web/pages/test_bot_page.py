"""A bot's page answers how good it is, what it has done, and what it does now."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.scripted.scripted_referee import record_of, setup_of
from tests.web.conftest import OpenPages
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played
from tests.web.playing import open_host
from tests.web.records import fill

from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, Store
from polynya_store.ladder.bot_records import HeadToHead, SeatResults

DASH = "\N{EN DASH}"
LATER_MS = 4_000_000_000_000


@pytest.fixture
async def cup(tmp_path: Path) -> Store:
    """A round robin that ann has won, with two matches of each pair."""
    store = Store.open(tmp_path / "s.sqlite", for_play=True)
    await played(
        msgspec.structs.replace(CUP, format="round_robin", swiss=None), store, first_name_wins
    )
    return store


async def head(pages: OpenPages, store: Store, path: str) -> str:
    async with pages(store) as client:
        page = (await client.get(f"{path}?lang=en")).text
    return page.partition('id="achieved"')[2].partition("</dl>")[0]


async def test_head_has_rating_place_record_and_titles(pages: OpenPages, cup: Store) -> None:
    with cup:
        found = await head(pages, cup, "/bots/ann")
        [pool] = cup.ratings.pools()
        best = cup.profiles.best_rating("ann", pool)
        assert cup.profiles.record_by_seat("ann", pool) == [
            SeatResults(0, 3, 0, 0),
            SeatResults(1, 3, 0, 0),
        ]
    assert f"6 {DASH} 0 {DASH} 0" in found
    assert 'place <span class="muted">1</span>' in found
    assert 'href="/tournaments/cup"' in found
    assert best is not None
    assert f">{best.rating:.0f}</a>" in found


async def test_head_of_a_bot_that_won_nothing_has_no_titles(pages: OpenPages, cup: Store) -> None:
    with cup:
        assert "Tournaments won" not in await head(pages, cup, "/bots/dot")


async def test_hidden_results_are_no_record(pages: OpenPages, tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
        await played(cup, store, first_name_wins, results_from_ms=LATER_MS)
        assert await head(pages, store, "/bots/ann") == ""
        assert store.profiles.head_to_head("ann", "bob") == HeadToHead(0, 0, 0, 0)


async def test_head_says_whether_the_bot_is_on_line_and_what_it_plays(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await host.table("m")
        found = (await client.get("/bots/m.0?lang=en")).text
        assert "on line" in found
        assert f"<bdi>m.0</bdi> {DASH} <bdi>m.1</bdi>" in found
        host.store.bots.set_token("away", b"0" * 32)
        assert "not connected" in (await client.get("/bots/away?lang=en")).text


async def test_two_bots_have_a_total(pages: OpenPages, cup: Store) -> None:
    with cup:
        assert cup.profiles.head_to_head("ann", "bob") == HeadToHead(2, 2, 0, 0)
        assert cup.profiles.head_to_head("bob", "ann") == HeadToHead(2, 0, 0, 2)
        async with pages(cup) as client:
            page = (await client.get("/matches?bot=bob&opponent=ann&lang=en")).text
    assert "0 : 2" in page
    assert "won 0, drawn 0, lost 2" in page


async def test_provisional_bot_has_a_place_with_a_question_mark(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await fill(store)
        async with pages(store) as client:
            page = (await client.get("/ladder/packeis/3?lang=en")).text
    rows = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert '<td class="number"><span class="muted">1</span></td>' in rows
    assert "?</span>" in rows


async def test_guest_without_a_rating_has_a_page(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host:
        setup = msgspec.structs.replace(setup_of("guests", "visitor", "builtin"), rated=False)
        begun = await host.journal.begin(Attempt(setup, RatingSettings()))
        await host.journal.finish(record_of(begun, [1, 2]))
        async with pages(host.store, host.server) as client:
            for path in ("/", "/bots/visitor", "/matches/guests", "/embed/matches/guests", "/tv"):
                assert (await client.get(path)).status_code == 200
