"""Matches in play, followed over a real socket while they are played."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import msgspec
import pytest
import trio
from starlette.types import Receive, Scope, Send
from tests.web.conftest import OpenPages
from tests.web.playing import Host, followed, open_host

from polynya_server.records import MatchEvent
from polynya_web import web_server
from polynya_web.content.background import BackgroundSlices
from polynya_web.content.frames import Frames
from polynya_web.content.live_types import ForfeitEvent, LiveMatch, LiveOver, LiveTurn, TurnEvent
from polynya_web.content.match_types import Replay
from polynya_web.live import live_match_list
from polynya_web.live.feeds import EventStream
from polynya_web.live.live_match import WatchedMatch, view_in_play
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.site import Site, make_site
from polynya_web.web_server import open_web

T = TypeVar("T")


async def test_a_viewer_sees_the_match_so_far_and_then_every_turn(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        table = await host.table("m")
        await table.move(0)
        await table.asked(1)
        async with followed(client, "/api/v1/live/m") as events:
            name, data = await events.next()
            replay = msgspec.convert(data, Replay)
            assert (name, replay.match.in_play, len(replay.frames)) == ("replay", True, 2)
            assert [seat.name for seat in replay.match.seats] == ["m.0", "m.1"]
            assert replay.clocks is not None
            assert (replay.clocks.to_move, replay.clocks.limit_ms) == (1, 300_000)
            await table.move(1)
            name, data = await events.next()
            turn = msgspec.convert(data, TurnEvent)
            assert (name, turn.turn.turn, turn.turn.seat, turn.to_move) == ("turn", 2, 1, 0)
            assert [frame.index for frame in turn.frames] == [2]
            assert turn.frames[0].state == host.server.matches[0].state.to_json()


async def test_the_end_of_a_match_is_shown_and_ends_the_events(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        table = await host.table("m")
        async with followed(client, "/api/v1/live/m") as events:
            await events.until("replay")
            await table.resign(1)
            forfeit = msgspec.convert(await events.until("forfeit"), ForfeitEvent)
            assert (forfeit.forfeit.seat, forfeit.forfeit.reason) == (1, "resigned")
            assert forfeit.frame.forfeit == "resigned"
            over = await events.until("over")
            assert (over["match"]["in_play"], over["match"]["reason"]) == (False, "forfeit")
            assert [seat["rank"] for seat in over["match"]["seats"]] == [1, 2]
            assert await events.next() == ("", None)


async def test_a_match_that_is_over_is_shown_at_once(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        table = await host.table("m")
        await table.move(0)
        await table.resign(1)
        await table.over.wait()
        async with followed(client, "/api/v1/live/m") as events:
            names = [(await events.next())[0] for _ in range(3)]
    assert names == ["replay", "over", ""]


async def test_unknown_match_is_not_found(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        answer = await client.get("/api/v1/live/nothing")
    assert (answer.status_code, list(answer.json())) == (404, ["error", "error_cause"])


@pytest.mark.parametrize(("hide_info", "info"), [(False, {"depth": 3}), (True, None)])
async def test_remarks_are_kept_back_while_the_match_is_in_play_if_the_host_wants_that(
    pages: OpenPages, tmp_path: Path, hide_info: bool, info: object
) -> None:
    async with (
        open_host(tmp_path) as host,
        pages(host.store, host.server, hide_info=hide_info) as client,
    ):
        table = await host.table("m")
        async with followed(client, "/api/v1/live/m") as events:
            await events.until("replay")
            await table.move(0, info={"depth": 3})
            assert (await events.until("turn"))["turn"]["info"] == info
        await table.resign(1)
        await table.over.wait()
        replay = (await client.get("/api/v1/matches/m/frames")).json()
    assert replay["turns"][0]["info"] == {"depth": 3}


async def test_the_list_shows_matches_begin_go_on_and_end(pages: OpenPages, tmp_path: Path) -> None:
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        first = await host.table("first")
        async with followed(client, "/api/v1/live") as events:
            name, data = await events.next()
            [listed] = msgspec.convert(data, list[LiveMatch])
            assert (name, listed.match.match, listed.turn) == ("matches", "first", 0)
            await host.table("second", players=3)
            begun = msgspec.convert(await events.until("begun"), LiveMatch)
            assert (begun.match.match, len(begun.match.seats)) == ("second", 3)
            await first.move(0)
            turn = msgspec.convert(await events.until("turn"), LiveTurn)
            assert (turn.match, turn.turn, turn.scores) == ("first", 1, [0, 0])
            await first.resign(1)
            assert (await events.until("over"))["match"] == "first"


async def test_first_viewer_of_the_list_sees_matches_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites: list[Site] = []
    answer = EventStream.__call__

    def made(*arguments: Any) -> Site:
        sites.append(make_site(*arguments))
        return sites[0]

    async def late(stream: EventStream, scope: Scope, receive: Receive, send: Send) -> None:
        hub = sites[0].hub
        assert hub is not None
        while hub._wanted.is_set():  # until it has gone to sleep for want of viewers
            await trio.lowlevel.checkpoint()
        await answer(stream, scope, receive, send)

    monkeypatch.setattr(web_server, "make_site", made)
    monkeypatch.setattr(EventStream, "__call__", late)
    settings = WebSettings(port=0)
    async with (
        open_host(tmp_path) as host,
        open_web(settings, PageSources(host.store, host.server)) as address,
        httpx2.AsyncClient(base_url=address) as client,
        followed(client, "/api/v1/live") as events,
    ):
        await events.next()
        await host.table("m")
        begun = msgspec.convert(await events.until("begun"), LiveMatch)
        assert begun.match.match == "m"


async def test_viewers_beyond_the_limit_get_a_sentence(pages: OpenPages, tmp_path: Path) -> None:
    async with (
        open_host(tmp_path) as host,
        pages(host.store, host.server, max_viewers=1) as client,
    ):
        await host.table("m")
        async with followed(client, "/api/v1/live/m") as events:
            await events.until("replay")
            answer = await client.get("/api/v1/live")
    assert (answer.status_code, list(answer.json())) == (503, ["error", "error_cause"])


async def test_viewers_are_let_go_when_the_pages_are_closed(
    pages: OpenPages, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack, open_host(tmp_path) as host:
        async with pages(host.store, host.server) as client:
            await host.table("m")
            events = await stack.enter_async_context(followed(client, "/api/v1/live/m"))
            await events.until("replay")
        assert await events.next() == ("", None)


def watched(host: Host, background: BackgroundSlices) -> WatchedMatch:
    [match] = host.server.matches
    view = view_in_play(match, None)
    return WatchedMatch(match, view, background, with_info=True)


async def shown(match: WatchedMatch) -> Replay:
    """What somebody is shown who comes now."""
    async with aclosing(match.feed.follow()) as chunks:
        snapshot = (await anext(chunks)).partition(b"data: ")[2].partition(b"\n")[0]
    return msgspec.json.decode(snapshot, type=Replay)


class Visited(BackgroundSlices):
    """Spare time in which somebody comes when the first piece of the work is done."""

    def __init__(self) -> None:
        super().__init__(lambda: False, 1)
        self.match: WatchedMatch | None = None
        self.frames: list[int] = []

    async def each(self, items: Iterable[T], work: Callable[[T], object]) -> None:
        for item in items:
            work(item)
            assert self.match is not None
            self.frames.append(len((await shown(self.match)).frames))


async def test_viewer_that_comes_while_frames_are_made_sees_nothing_twice(tmp_path: Path) -> None:
    async with open_host(tmp_path) as host:
        table = await host.table("m")
        await table.move(0)
        await table.move(1)
        await table.asked(0)
        background = Visited()
        background.match = match = watched(host, background)
        await match.advance()
        assert background.frames == [1, 1]  # the two turns will be in the next chunk
        assert len((await shown(match)).frames) == 3


async def test_error_in_one_match_view_affects_its_viewers_only(
    pages: OpenPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow = Frames.follow

    def fail_with_three(frames: Frames, happened: MatchEvent) -> None:
        if frames.state.players == 3:
            raise RuntimeError("a mistake")
        follow(frames, happened)

    monkeypatch.setattr(Frames, "follow", fail_with_three)
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        broken, whole = await host.table("broken", players=3), await host.table("whole")
        async with (
            followed(client, "/api/v1/live/broken") as of_broken,
            followed(client, "/api/v1/live/whole") as of_whole,
        ):
            await of_broken.until("replay")
            await of_whole.until("replay")
            await broken.move(0)
            assert await of_broken.next() == ("", None)
            await whole.move(0)
            assert (await of_whole.until("turn"))["to_move"] == 1
            await broken.move(1)
            await broken.asked(2)


async def test_first_matches_of_the_list_have_boards_that_follow_them(
    pages: OpenPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_match_list, "MAX_BOARDS", 1)
    monkeypatch.setattr(live_match_list, "BOARD_S", 0)
    async with open_host(tmp_path) as host, pages(host.store, host.server) as client:
        first = await host.table("first")
        second = await host.table("second")
        async with followed(client, "/api/v1/live") as events:
            listed = msgspec.convert(await events.until("matches"), list[LiveMatch])
            assert [one.board is not None for one in listed] == [True, False]
            await second.move(0)
            assert msgspec.convert(await events.until("turn"), LiveTurn).board is None
            await first.move(0)
            board = msgspec.convert(await events.until("turn"), LiveTurn).board
            state = host.server.matches[0].state.to_json()
            assert board is not None
            assert (board.state, board.seat) == (state, 0)
            await first.resign(1)
            over = msgspec.convert(await events.until("over"), LiveOver)
            assert over.board is not None
            assert over.board.state["forfeited"] == [1]
            board = msgspec.convert(await events.until("turn"), LiveTurn).board
            assert board is not None
            assert board.state == host.server.matches[0].state.to_json()
