"""Pages of a server that shows what happens some time later."""

from __future__ import annotations

import time
from pathlib import Path

import httpx2
import pytest
from tests.web.conftest import OpenPages
from tests.web.playing import Host, followed, open_host

LONG_MS = 3_600_000


async def test_a_viewer_sees_begin_turns_and_end_later(pages: OpenPages, tmp_path: Path) -> None:
    async with (
        open_host(tmp_path, live_delay_s=1) as host,
        pages(host.store, host.server) as client,
        followed(client, "/api/v1/live") as matches,
    ):
        host.store.live_delay.ms = LONG_MS  # what is told live is told whatever lists say
        assert (await matches.until("matches")) == []
        began = time.monotonic()
        table = await host.table("m")
        await table.move(0)
        await table.asked(1)
        await matches.until("begun")
        assert time.monotonic() - began >= 1
        async with followed(client, "/api/v1/live/m") as events:
            await events.until("replay")
            ended = time.monotonic()
            await table.resign(1)
            await table.over.wait()
            over = await events.until("over")
            assert time.monotonic() - ended >= 1
    assert [seat["rank"] for seat in over["match"]["seats"]] == [1, 2]


async def played(host: Host) -> None:
    """A match that began long ago, and has just ended."""
    table = await host.table("m")
    await table.move(0)
    await table.resign(1)
    await table.over.wait()
    with host.store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE matches SET started_ms = started_ms - 7200000")


async def ended(client: httpx2.AsyncClient) -> list[str]:
    found = (await client.get("/api/v1/matches?state=ended")).json()
    return [match["match"] for match in found["matches"]]


@pytest.mark.parametrize(("delay_ms", "told"), [(LONG_MS, False), (0, True)])
async def test_a_match_that_has_just_ended_is_in_play_on_all_pages(
    pages: OpenPages, tmp_path: Path, delay_ms: int, told: bool
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await played(host)
        host.store.live_delay.ms = delay_ms
        page = (await client.get("/matches/m?lang=en")).text
        match = (await client.get("/api/v1/matches/m")).json()
        replays = [
            (await client.get(path)).status_code
            for path in ("/api/v1/matches/m/frames", "/matches/m/replay")
        ]
        assert await ended(client) == (["m"] if told else [])
        overview = (await client.get("/?lang=en")).text
    assert (match["in_play"], '"in_play": false' in page) == (not told, told)
    assert [seat["rank"] for seat in match["seats"]] == ([1, 2] if told else [None, None])
    assert replays == ([200, 200] if told else [404, 404])
    assert "/matches/m" in overview


async def test_a_match_that_has_just_begun_is_on_no_page(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        await host.table("m")
        host.store.live_delay.ms = LONG_MS
        answers = [
            (await client.get(path)).status_code
            for path in ("/api/v1/matches/m", "/matches/m/replay", "/api/v1/matches/m/frames")
        ]
        listed = (await client.get("/api/v1/matches")).json()["matches"]
    assert (answers, listed) == ([404] * 3, [])
