"""A tournament's page says what decided it, what ended it, and how sure its ratings are."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.scripted.scripted_referee import (
    Script,
    ScriptedBlocks,
    ScriptedReferee,
    first_seat_wins,
    record_of,
)
from tests.web.conftest import OpenPages

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.swiss.swiss_settings import SwissSettings
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store, open_journal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.scheduler import Scheduler

CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    format="swiss",
    swiss=SwissSettings(rounds=6),
    bots=[BotConfiguration(name=name, external=True) for name in ("ann", "bob", "cid", "dot")],
    clock=Clock(move_ms=100),
)


def first_name_wins(setup: MatchSetup) -> MatchRecord:
    """A script: the bots are ranked in alphabetical order."""
    return record_of(setup, [1 + sorted(setup.players).index(name) for name in setup.players])


async def played(
    cup: TournamentConfiguration,
    store: Store,
    script: Script = first_seat_wins,
    results_from_ms: int | None = None,
) -> None:
    """Play a tournament to its end, each match as the script has it."""
    async with open_journal(store) as journal:
        rounds = RoundDrawer(cup, journal, Reporter())
        await rounds.begin()
        store.tournaments.hide_results(cup.name, results_from_ms)
        referee = ScriptedReferee(journal, [bot.name for bot in cup.bots], script)
        await Scheduler(cup, rounds, ScriptedBlocks(referee), journal, Reporter()).run()


async def test_page_says_which_round_of_a_swiss_cannot_be_drawn(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(CUP, store)
        async with pages(store) as client:
            page = (await client.get("/tournaments/cup")).text
    assert "round 4 of 6 cannot be drawn: all remaining bots have met" in page


async def test_page_bounds_the_rating_of_a_bot_that_won_all_on_one_side(
    pages: OpenPages, tmp_path: Path
) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None, cycles=6)
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        async with pages(store) as client:
            answer = await client.get("/tournaments/cup?columns=all")
    assert answer.status_code == 200
    assert "≥ " in answer.text
