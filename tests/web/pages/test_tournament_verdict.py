"""What decided a tournament, or ended it, is said on its page."""

from __future__ import annotations

from pathlib import Path

from tests.web.conftest import OpenPages

from polynya_protocol.messages import Clock
from polynya_tournaments.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_tournaments.pairing.formats.swiss.swiss_settings import SwissSettings
from polynya_tournaments.store import Store, open_journal
from polynya_tournaments.testing import ScriptedReferee
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


async def test_page_says_which_round_of_a_swiss_cannot_be_drawn(
    pages: OpenPages, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        async with open_journal(store) as journal:
            rounds = RoundDrawer(CUP, journal, Reporter())
            left = await rounds.begin()
            referee = ScriptedReferee(journal, [bot.name for bot in CUP.bots])
            await Scheduler(
                CUP, rounds.tournament_id, left, 0, referee, journal, Reporter(), rounds.next
            ).run()
        async with pages(store) as client:
            page = (await client.get("/tournaments/cup")).text
    assert "round 4 of 6 cannot be drawn: all who are left have met" in page
