"""The page of a match that is over shows the whole truth, or the view of a seat or the public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.games.example_games import example_games
from tests.web.conftest import OpenPages
from tests.web.live.test_live_views import GOOFSPIEL, KUHN
from tests.web.playing import Host, open_host

__all__ = ["example_games"]

SWITCH = 'class="seat-views"'


async def play(host: Host, terms: dict[str, Any]) -> None:
    table = await host.table("m", **terms)
    await table.move(0)
    await table.move(1)
    await table.resign(0)
    await table.over.wait()


async def cards(client: httpx2.AsyncClient, query: str) -> list[bool]:
    """Whether the first frame shows the card of each seat."""
    frames = (await client.get(f"/api/v1/matches/m/frames{query}")).json()["frames"]
    return [card is not None for card in frames[0]["state"]["cards"]]


async def test_frames_are_those_that_the_chosen_seat_saw(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await play(host, KUHN)
        shown = [await cards(client, query) for query in ("", "?seat=public", "?seat=0", "?seat=1")]
        unknown = await client.get("/api/v1/matches/m/frames?seat=2")
    assert shown == [[True, True], [False, False], [True, False], [False, True]]
    assert unknown.status_code == 404


async def test_page_has_a_switch_that_keeps_the_choice_in_the_address(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await play(host, KUHN)
        page = (await client.get("/matches/m?seat=1")).text
        strange = (await client.get("/matches/m?seat=7")).text
    assert SWITCH in page
    assert 'href="?seat=1" aria-current="true"' in page
    assert '"seat": "1"' in page
    assert 'href="?" aria-current="true"' in strange


@pytest.mark.parametrize("terms", [GOOFSPIEL, {}])
async def test_match_in_which_all_know_the_same_has_no_switch(
    pages: OpenPages, tmp_path: Path, terms: dict[str, Any]
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await play(host, terms)
        page = (await client.get("/matches/m?seat=1")).text
    assert SWITCH not in page
    assert '"seat": null' in page
