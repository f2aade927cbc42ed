"""Bots that are connected to a tournament and get no match: the host and they are told why."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from tests.scripted import RaceHost, race_host, token
from trio.testing import wait_all_tasks_blocked

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_protocol.messages import Clock
from polynya_tournaments.tournament.notices import MOST_LISTED, MOST_TOLD, UnknownBots
from polynya_tournaments.tournament.progress_events import Reporter


class Warned(Reporter):
    """Notes what the host is told."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


@asynccontextmanager
async def watched(host: RaceHost, *entrants: str) -> AsyncIterator[list[str]]:
    """What the host is told of a tournament of these bots."""
    configuration = TournamentConfiguration(
        name="cup",
        game="race",
        bots=[BotConfiguration(name=name, external=True) for name in entrants],
        clock=Clock(move_ms=100),
    )
    warned = Warned()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(UnknownBots(configuration, host.server, warned).watch)
        yield warned.warnings
        nursery.cancel_scope.cancel()


async def test_bot_that_is_no_entrant_gets_a_notice_and_so_does_the_host() -> None:
    async with race_host("Aa", "g") as host, watched(host, "a", "g") as warnings:
        await host.bot("g")
        stranger = await host.bot("Aa")
        notice = await stranger.expect("notice")
        assert notice["code"] == "not_entered"
        assert notice["message"] == "Aa is not an entrant of cup; entrants are a and g"
        assert warnings == ["Aa is connected but is not an entrant; entrants are a and g"]


async def test_reconnecting_unknown_bot_is_reported_once() -> None:
    async with race_host("Aa") as host, watched(host, "a") as warnings:
        for _ in range(3):
            await (await host.bot("Aa")).expect("notice")
        assert len(warnings) == 1


async def test_bot_without_the_game_has_a_notice_until_it_plays_it() -> None:
    async with race_host("a") as host, watched(host, "a"):
        bot = await host.bot("a", games=["chess"])
        assert (await bot.expect("notice"))["code"] == "game_not_played"
        again = await host.client()
        await again.hello(name="a", token=token("a"), games=["race"])
        while (notice := await again.expect("notice"))["code"] != "cleared":
            assert notice["code"] == "game_not_played"


async def test_names_and_tellings_are_bounded() -> None:
    strangers = [f"s{number}" for number in range(MOST_TOLD + 5)]
    entrants = [f"e{number}" for number in range(MOST_LISTED + 3)]
    async with race_host(*strangers) as host, watched(host, *entrants) as warnings:
        for name in strangers:
            await host.bot(name)
        await wait_all_tasks_blocked()
        assert len(warnings) == MOST_TOLD + 1
        assert warnings[0].endswith(f"{entrants[MOST_LISTED - 1]} and 3 more")
