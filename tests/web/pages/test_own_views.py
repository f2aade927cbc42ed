"""The owner of a bot sees what its own seats knew in a match that is kept back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import sqlalchemy as sa
from playwright.sync_api import Browser, expect
from tests.games.example_games import example_games
from tests.scripted import token
from tests.store.test_tournament_table import begin
from tests.web.browsing import in_a_thread, tab
from tests.web.conftest import OpenPages
from tests.web.live.test_live_views import KUHN
from tests.web.playing import Host, open_host

from polynya_server.match.match_messages import STANDARD_DETAIL
from polynya_store import schema
from polynya_web.http.wrong_tokens import ATTEMPTS
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

__all__ = ["example_games"]

FRAMES = "/api/v1/matches/m/frames"
OWN, OTHERS = "what I think of my card", "what they think of theirs"
UNKNOWN_STEP = ["a secret plan"]


async def play(host: Host) -> None:
    """A hand of Kuhn poker that seat 1 lost by a step that there is not; no card was shown."""
    table = await host.table("m", **KUHN)
    await table.move(0, info={"note": OWN})
    await table.move(1, info={"note": OTHERS}, step=UNKNOWN_STEP)
    await table.over.wait()


async def keep_back(host: Host, **terms: Any) -> None:
    """Make the match one of a tournament that is not over."""
    drawn = await begin(host.journal, 2)
    matches, pairings, cups = schema.matches, schema.pairings, schema.tournaments
    with host.store.database.writing() as connection:
        connection.execute(sa.update(cups).values({"reveal": "tournament", **terms}))
        connection.execute(
            sa.update(matches).where(matches.c.name == "m").values(pairing_id=drawn[0].id)
        )
        connection.execute(
            sa.update(pairings).where(pairings.c.id == drawn[0].id).values(state="played")
        )


def end_block(host: Host) -> None:
    """Let the other match of the block have ended."""
    pairings = schema.pairings
    with host.store.database.writing() as connection:
        connection.execute(
            sa.update(pairings).where(pairings.c.number == 2).values(state="dropped")
        )


@asynccontextmanager
async def kept_back(
    pages: OpenPages, folder: Path, **terms: Any
) -> AsyncIterator[tuple[Host, httpx2.AsyncClient]]:
    """The match, with a client of the pages."""
    async with open_host(folder) as host, pages(host.store, host.server) as client:
        await play(host)
        await keep_back(host, **terms)
        yield host, client


@asynccontextmanager
async def kept_back_site(folder: Path) -> AsyncIterator[str]:
    """The match, with the address of the pages."""
    async with open_host(folder) as host:
        await play(host)
        await keep_back(host)
        async with open_web(WebSettings(port=0), PageSources(host.store, host.server)) as address:
            yield address


async def asked(client: httpx2.AsyncClient, query: str, name: str | None = None) -> httpx2.Response:
    headers = {} if name is None else {"authorization": f"Bearer {token(name)}"}
    return await client.get(FRAMES + query, headers=headers)


async def test_own_seat_is_shown_as_it_knew_the_match(pages: OpenPages, tmp_path: Path) -> None:
    async with kept_back(pages, tmp_path) as (_, client):
        answers = [await asked(client, f"?seat={seat}", f"m.{seat}") for seat in (0, 1)]
    known = [
        {tuple(card is not None for card in frame["state"]["cards"]) for frame in one["frames"]}
        for one in (answer.json() for answer in answers)
    ]
    assert known == [{(True, False)}, {(False, True)}]
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}


async def test_own_view_has_nothing_that_only_the_other_seat_knew(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with kept_back(pages, tmp_path) as (_, client):
        first, second = [await asked(client, f"?seat={seat}", f"m.{seat}") for seat in (0, 1)]
    assert (OWN in first.text, UNKNOWN_STEP[0] in second.text) == (True, True)
    for secret in (OTHERS, UNKNOWN_STEP[0], KUHN["deal"]):
        assert secret not in first.text
    assert OWN not in second.text
    [forfeit] = first.json()["forfeits"]
    assert forfeit["detail"] == STANDARD_DETAIL[forfeit["reason"]]


async def test_other_seat_the_whole_match_and_wrong_tokens_are_refused(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with kept_back(pages, tmp_path) as (_, client):
        other = await asked(client, "?seat=1", "m.0")
        wrong = await asked(client, "?seat=0", "nobody")
        await asked(client, "?seat=0", "m.0")
        rest = [await asked(client, query, "m.0") for query in ("", "?seat=public", "?seat=2")]
        without = await asked(client, "?seat=0")
    assert [other.status_code, wrong.status_code] == [403, 403]
    assert [answer.status_code for answer in (*rest, without)] == [404] * 4


async def test_wrong_tokens_are_counted_and_the_right_one_opens_still(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with kept_back(pages, tmp_path) as (_, client):
        guesses = [await asked(client, "?seat=0", str(guess)) for guess in range(ATTEMPTS + 1)]
        right = await asked(client, "?seat=0", "m.0")
    assert [answer.status_code for answer in guesses] == [403] * ATTEMPTS + [429]
    assert right.status_code == 200


async def test_bot_with_several_seats_sees_each_of_them(pages: OpenPages, tmp_path: Path) -> None:
    async with kept_back(pages, tmp_path) as (host, client):
        seats, bots = schema.seats, schema.bots
        first = sa.select(bots.c.id).where(bots.c.name == "m.0").scalar_subquery()
        with host.store.database.writing() as connection:
            connection.execute(sa.update(seats).values(bot_id=first))
        answers = [await asked(client, f"?seat={seat}", "m.0") for seat in (0, 1)]
    assert [answer.status_code for answer in answers] == [200, 200]


async def test_closed_deal_is_shown_to_no_owner_before_its_block_is_over(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with kept_back(pages, tmp_path, duplicate=True) as (host, client):
        closed = await asked(client, "?seat=0", "m.0")
        hidden = await client.post("/bots/m.0", data={"token": token("m.0")})
        end_block(host)
        opened = await asked(client, "?seat=0", "m.0")
        public = await asked(client, "?seat=0")
    assert (closed.status_code, opened.status_code, public.status_code) == (404, 200, 404)
    assert "when all matches with its deal are over" in closed.text
    assert 'data-match="m"' not in hidden.text


async def test_match_with_a_hidden_result_and_a_match_in_play_are_shown_to_no_owner(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with kept_back(pages, tmp_path) as (host, client):
        host.store.tournaments.hide_results("cup", 4_000_000_000_000)
        hidden = await asked(client, "?seat=0", "m.0")
        host.store.tournaments.hide_results("cup", None)
        with host.store.database.writing() as connection:
            connection.execute(sa.update(schema.matches).values(reason=None))
        in_play = await asked(client, "?seat=0", "m.0")
    assert (hidden.status_code, in_play.status_code) == (404, 404)


async def test_page_of_a_bot_shows_owners_their_seats_alone(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with kept_back(pages, tmp_path) as (_, client):
        public = await client.get("/bots/m.0")
        page = await client.post("/bots/m.0", data={"token": token("m.0")})
        found = re.search(r'action="(/matches/m/seats/\d)".*?name="key" value="([^"]+)"', page.text)
        assert found is not None
        path, key = found.groups()
        own = await client.post(path, data={"key": key})
        other = await client.post("/matches/m/seats/1", data={"key": key})
        keyless = await client.post(path, data={"key": "another"})
        unknown = await client.post("/matches/m/seats/2", data={"key": key})
    assert "/matches/m/seats/" not in public.text
    assert re.findall(r"/matches/m/seats/\d", page.text) == ["/matches/m/seats/0"]
    assert own.json()["frames"][0]["state"]["cards"][1] is None
    assert [answer.status_code for answer in (other, keyless, unknown)] == [403, 403, 404]


def test_owner_plays_the_match_through_on_the_page_of_the_bot(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        in_a_thread(partial(kept_back_site, tmp_path)) as address,
        tab(browser, address, locale="en") as page,
    ):
        page.goto("/bots/m.0")
        owner = page.locator("form.row", has=page.get_by_label("Token"))
        owner.get_by_label("Token").fill(token("m.0"))
        owner.get_by_role("button").click()
        page.locator("form[data-match=m] button").click()
        expect(page.locator("#viewer .viewer-place")).to_be_visible()
        expect(page.locator("#viewer")).to_contain_text("m.1")
        expect(page.locator("#viewer")).not_to_contain_text(OTHERS)
