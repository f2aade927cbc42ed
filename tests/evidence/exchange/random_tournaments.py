"""Tournaments whose matches end at random: played, forfeited, missed, by bots that come and go."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.swiss.swiss_settings import SwissSettings
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock
from polynya_store import Attempt, StoreJournal
from polynya_store.tournaments.open_pairings import OpenPairing
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

CLOCK = Clock(initial_ms=60_000, increment_ms=1_000)
RANKINGS = ([1, 2], [2, 1], [1, 1])


def bots(names: Sequence[str], gone: Sequence[str] = ()) -> list[BotConfiguration]:
    return [BotConfiguration(name=name, external=True, withdrawn=name in gone) for name in names]


def described(kind: str, count: int, rounds: int) -> TournamentConfiguration:
    """A tournament of bots ``bot0``, ``bot1``, …; ``rounds`` are cycles of a round robin."""
    names = [f"bot{number}" for number in range(count)]
    common = {"name": "cup", "game": "packeis", "bots": bots(names), "clock": CLOCK}
    if kind == "round_robin":
        return TournamentConfiguration(cycles=rounds, **common)  # type: ignore[arg-type]
    swiss = SwissSettings(
        rounds=rounds, forbidden=(("bot0", "bot1"),), half_point_byes={"bot2": (rounds - 1,)}
    )
    return TournamentConfiguration(format="swiss", swiss=swiss, **common)  # type: ignore[arg-type]


async def play_on(
    journal: StoreJournal,
    configuration: TournamentConfiguration,
    seed: int,
    *,
    most: int = 1_000,
    missing: float = 0.1,
) -> None:
    """Play matches of a tournament, ``most`` at most; ``missing`` of them miss a bot, or both."""
    chance = random.Random(seed)
    drawer = RoundDrawer(configuration, journal, Reporter())
    left = await drawer.begin()
    while left and most:
        for one in left[:most]:
            name = f"{configuration.name}-{one.pairing.number}"
            await _decide(journal, drawer.tournament_id, one, name, chance, missing)
        most -= min(most, len(left))
        if most:
            left = await drawer.next()


async def _decide(
    journal: StoreJournal,
    tournament: int,
    one: OpenPairing,
    name: str,
    chance: random.Random,
    missing: float,
) -> None:
    players = one.pairing.players
    if chance.random() < missing:
        away = chance.choice([players[:1], players[1:], players])
        await journal.walk_over(tournament, [(one.id, dict.fromkeys(away, "absent"))])
        return
    setup = msgspec.structs.replace(setup_of(name), players=players, clock=CLOCK)
    await journal.begin(Attempt(setup, RatingSettings(), one.id))
    await journal.finish(record_of(setup, chance.choice(RANKINGS)))
