"""Matches that are hidden when they begin: no spectator is shown them, whatever they ask for."""

from __future__ import annotations

from pathlib import Path

from tests.scripted import connected
from tests.web.conftest import OpenPages
from tests.web.playing import followed, open_host

LATER_MS = 4_000_000_000_000


async def test_hidden_match_is_not_shown_live(pages: OpenPages, tmp_path: Path) -> None:
    async with (
        open_host(tmp_path) as host,
        pages(host.store, host.server) as client,
        followed(client, "/api/v1/tv") as television,
    ):
        await host.table("shown")
        host.server.hide_matches(0, LATER_MS)
        hidden = await host.table("hidden")
        await hidden.move(0)
        async with followed(client, "/api/v1/live") as events:
            [listed] = await events.until("matches")
        assert listed["match"]["match"] == "shown"
        assert await television.until("featured") == {"match": "shown"}
        assert (await client.get("/api/v1/live/hidden")).status_code == 404
        page = await client.get("/matches/hidden")
        assert page.status_code == 200
        async with connected(host.server.host, host.server.port) as spectator:
            await spectator.hello(role="spectator", name=None, token=None)
            await spectator.send(type="watch", match="hidden")
            assert (await spectator.expect("error"))["code"] == "unknown_match"


async def test_match_that_began_before_is_shown_to_its_end(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        table = await host.table("m")
        host.server.hide_matches(0, LATER_MS)
        async with followed(client, "/api/v1/live/m") as events:
            await events.until("replay")
            await table.resign(1)
            assert (await events.until("over"))["match"]["reason"] == "forfeit"
