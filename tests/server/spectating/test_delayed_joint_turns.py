"""A joint turn that is shown later: its answers come together, as spectators may know them."""

from __future__ import annotations

from typing import Any

from tests.games.example_games import example_games
from tests.scripted.game_host import hosting, together
from tests.server.spectating.test_delayed_view import (
    JUST_BEFORE_S,
    SETTINGS,
    clock,
    news,
    spectator,
    wait,
)
from trio.testing import MockClock

from polynya_protocol.messages import Clock
from polynya_server.records import MatchSetup

__all__ = ["clock", "example_games"]

SETUP = MatchSetup(
    match="m",
    game="goofspiel",
    players=("ann", "bob"),
    clock=Clock(initial_ms=600_000),
    seed=0,
    deal="5a" * 32,
    options={"cards": 3},
)


async def test_both_answers_of_a_joint_turn_are_shown_that_much_later(clock: MockClock) -> None:
    async with hosting("ann", "bob", **SETTINGS) as host:
        watcher = await spectator(host, all=True)
        ann = await host.bot("ann", wants=[])
        bob = await host.bot("bob", wants=[])
        host.in_background(host.server.play, SETUP)
        asked = await together(ann, bob)
        await ann.move(asked[0], [["bid", 1]])
        await wait(clock, 2)
        await bob.move(asked[1], [["bid", 3]])
        await together(ann, bob)

        await wait(clock, JUST_BEFORE_S - 2)
        assert await news(watcher) == []
        await wait(clock, 0.001)
        [begun] = await news(watcher)
        assert tuple(begun[key] for key in ("type", "acting", "view")) == (
            "match_resume",
            [0, 1],
            True,
        )
        assert "deal" not in begun["state"]
        await wait(clock, 1.999)
        assert await news(watcher) == []
        await wait(clock, 0.001)
        first, last = await news(watcher)
        told: list[Any] = [first["seat"], first.get("acting"), last["seat"], last["acting"]]
        assert told == [0, None, 1, [0, 1]]
        assert "deal" not in last["state"]
