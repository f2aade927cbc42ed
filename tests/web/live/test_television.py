"""The television: which match it shows, and what its viewers are sent."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from tests.web.conftest import OpenPages
from tests.web.playing import CLOCK, followed, open_host

from polynya_games import load
from polynya_server import MatchSetup
from polynya_server.match.match_setup import create_initial_state
from polynya_web.live import television
from polynya_web.live.game_servers import LiveMatch
from polynya_web.live.interest import margin, most_interesting


class InPlay:
    """As much of a match in play as is compared."""

    def __init__(self, *ratings: float | None) -> None:
        names = tuple(f"bot{seat}" for seat in range(len(ratings)))
        self.setup = MatchSetup(
            match="m", game="packeis", players=names, clock=CLOCK, seed=7, ratings=ratings
        )
        self.state, _ = create_initial_state(load, self.setup)


def in_play(*ratings: float | None) -> LiveMatch:
    return cast("LiveMatch", InPlay(*ratings))


WEAK, STRONG, UNEQUAL = in_play(1000, 1010), in_play(2000, 2010), in_play(1900, 2300)


def test_strong_and_equal_bots_come_before_weak_and_unequal_ones() -> None:
    assert most_interesting([WEAK, STRONG, UNEQUAL], [0, 0, 0]) is STRONG


def test_of_equally_strong_matches_the_closer_one_is_shown() -> None:
    other = in_play(2000, 2010)
    assert most_interesting([STRONG, other], [0.1, 0.6]) is STRONG
    assert most_interesting([STRONG, other], [0.6, 0.1]) is other


def test_of_matches_that_are_alike_the_last_one_is_shown() -> None:
    first, last = in_play(None, None), in_play(None, None)
    assert most_interesting([first, last], [0, 0]) is last


def test_a_bot_without_a_rating_makes_a_match_unequal() -> None:
    assert most_interesting([in_play(1500, None), in_play(1400, 1600)], [0, 0]) is not None
    rated, unknown = in_play(1500, 1500), in_play(1500, None)
    assert most_interesting([rated, unknown], [0, 0]) is rated


def test_without_matches_none_is_shown() -> None:
    assert most_interesting([], []) is None


def test_no_score_is_no_margin() -> None:
    assert margin(STRONG) == 0


async def test_a_viewer_waits_for_a_match_sees_it_and_is_shown_the_next(
    pages: OpenPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(television, "STAY_S", 0)
    async with (
        open_host(tmp_path) as host,
        pages(host.store, host.server) as client,
        followed(client, "/api/v1/tv") as events,
    ):
        assert await events.next() == ("waiting", {"next_s": None})
        first = await host.table("first")
        assert await events.until("featured") == {"match": "first"}
        assert (await events.until("replay"))["match"]["match"] == "first"
        second = await host.table("second")
        await first.move(0)
        assert (await events.until("turn"))["turn"]["turn"] == 1
        async with followed(client, "/api/v1/tv") as late:
            assert await late.next() == ("featured", {"match": "first"})
        await first.resign(1)
        assert (await events.until("over"))["match"]["match"] == "first"
        assert await events.until("waiting") == {"next_s": 0}
        assert await events.until("featured") == {"match": "second"}
        await second.resign(0)
        await events.until("over")
        assert await events.until("waiting") == {"next_s": 0}
        assert await events.until("waiting") == {"next_s": None}


async def test_viewers_of_the_television_count(pages: OpenPages, tmp_path: Path) -> None:
    async with (
        open_host(tmp_path) as host,
        pages(host.store, host.server, max_viewers=1) as client,
        followed(client, "/api/v1/tv") as events,
    ):
        await events.next()
        assert (await client.get("/api/v1/tv")).status_code == 503
        table = await host.table("m")
        await events.until("replay")
        assert (await client.get("/api/v1/live/m")).status_code == 503
        await table.move(0)
        await events.until("turn")
