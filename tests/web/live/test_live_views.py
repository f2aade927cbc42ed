"""Viewers of a running match with joint turns or hidden parts see what spectators may know."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.games.example_games import example_games
from tests.store.test_game_servers import SERVER
from tests.web.conftest import OpenPages
from tests.web.playing import Host, followed, open_host

from polynya_store import GameServer

__all__ = ["example_games"]

KUHN: dict[str, Any] = {"game": "kuhn", "deal": "5a" * 32, "options": {"hands": 2}}
GOOFSPIEL: dict[str, Any] = {"game": "goofspiel", "deal": "5a" * 32, "options": {"cards": 4}}


@pytest.fixture(params=["beside the server", "beside the database"])
def is_beside_server(request: pytest.FixtureRequest) -> bool:
    """Whether the pages run with the game server, or follow it as a spectator."""
    return bool(request.param == "beside the server")


@asynccontextmanager
async def live(
    pages: OpenPages, folder: Path, is_beside_server: bool
) -> AsyncIterator[tuple[Host, httpx2.AsyncClient]]:
    async with open_host(folder) as host:
        if is_beside_server:
            async with pages(host.store, host.server) as client:
                yield host, client
            return
        host.store.game_servers.note(game_server(host))
        async with pages(host.store) as client:
            yield host, client


def game_server(host: Host) -> GameServer:
    """The row by which pages of another process find the server."""
    return replace(SERVER, host=host.server.host, port=host.server.port)


async def seen_live(
    pages: OpenPages, folder: Path, is_beside_server: bool, **terms: Any
) -> tuple[list[Any], list[Any]]:
    """The frames and turns that a viewer is sent: of a snapshot, then of one turn each seat."""
    async with live(pages, folder, is_beside_server) as (host, client):
        table = await host.table("m", **terms)
        async with followed(client, "/api/v1/live/m") as events:
            begun = await events.until("replay")
            await table.move(0)
            await table.move(1)
            turns = [await events.until("turn") for _ in range(2)]
    return [*begun["frames"], *(frame for one in turns for frame in one["frames"])], turns


async def test_hidden_match_is_shown_as_spectators_may_know_it(
    pages: OpenPages, tmp_path: Path, is_beside_server: bool
) -> None:
    frames, turns = await seen_live(pages, tmp_path, is_beside_server, **KUHN)
    assert [frame["state"]["cards"] for frame in frames] == [[None, None]] * 3
    assert [turn["turn"]["steps"] for turn in turns] == [[["bet"]], [["call"]]]
    assert [frame["seen"] for frame in frames[:2]] == [None, None]
    assert frames[2]["seen"][0]["hand"] == 1
    assert {"deal", "drawn"}.isdisjoint(frames[2]["state"])


async def test_joint_turn_is_shown_whole_with_all_its_clocks(
    pages: OpenPages, tmp_path: Path, is_beside_server: bool
) -> None:
    frames, turns = await seen_live(pages, tmp_path, is_beside_server, **GOOFSPIEL)
    assert [turn["turn"]["turn"] for turn in turns] == [1, 1]
    assert [frame["seat"] for frame in frames] == [None, 0, 1]
    assert frames[1]["state"] == frames[2]["state"]
    assert turns[1]["clocks"]["acting"] == [0, 1]
    assert turns[1]["to_move"] == 0


async def test_nothing_tells_which_seat_of_a_joint_turn_has_answered(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with live(pages, tmp_path, True) as (host, client):
        table = await host.table("m", **GOOFSPIEL)
        await table.asked(0)
        before = host.server.match("m")
        assert before is not None
        shown = before.clocks
        await table.move(0)
        await table.asked(1)
        async with followed(client, "/api/v1/live") as events:
            [listed] = await events.until("matches")
    clocks = listed["clocks"]
    assert (clocks["acting"], clocks["to_move"], listed["turn"]) == ([0, 1], 0, 0)
    assert clocks["remaining_ms"] == shown.remaining_ms
    assert clocks["running_ms"] >= shown.running_ms


async def test_list_and_television_show_the_board_of_the_public(
    pages: OpenPages, tmp_path: Path, is_beside_server: bool
) -> None:
    async with live(pages, tmp_path, is_beside_server) as (host, client):
        await host.table("m", **KUHN)
        async with followed(client, "/api/v1/live") as events:
            [listed] = await events.until("matches")
        async with followed(client, "/api/v1/tv") as events:
            featured = await events.until("featured")
            replay = await events.until("replay")
    assert listed["board"]["state"]["cards"] == [None, None]
    assert featured == {"match": "m"}
    assert replay["frames"][0]["state"]["cards"] == [None, None]


async def test_truth_is_shown_when_the_match_is_over(pages: OpenPages, tmp_path: Path) -> None:
    async with live(pages, tmp_path, True) as (host, client):
        table = await host.table("m", **KUHN)
        async with followed(client, "/api/v1/live/m") as events:
            await table.resign(0)
            over = await events.until("over")
        frames = (await client.get("/api/v1/matches/m/frames")).json()["frames"]
    assert over["match"]["reason"] == "forfeit"
    assert None not in frames[0]["state"]["cards"]
