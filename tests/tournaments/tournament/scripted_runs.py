"""Runs of a tournament with a scripted referee: from where it is to its end, or until stopped."""

from __future__ import annotations

from tests.scripted.scripted_referee import ScriptedBlocks, ScriptedReferee

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.brackets.knockout import KnockoutSettings
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord
from polynya_store import StoreJournal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.scheduler import Scheduler

NAMES = ("ann", "bob", "cid", "dot")
KNOCKOUT_OF_FOUR = TournamentConfiguration(
    name="cup",
    game="packeis",
    format="knockout",
    knockout=KnockoutSettings(best_of=1, tie_breaks=0),
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
)


class ProgressLog(Reporter):
    """Notes the progress after each match."""

    def __init__(self) -> None:
        self.progress: list[RunProgress] = []
        self.scheduler: Scheduler | None = None
        self.stop_after: int | None = None

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self.progress.append(progress)
        if self.scheduler is not None and progress.played_now == self.stop_after:
            self.scheduler.stop()


async def run_scripted(
    configuration: TournamentConfiguration,
    journal: StoreJournal,
    referee: ScriptedReferee,
    stop_after: int | None = None,
    *,
    play_held: bool = False,
) -> list[RunProgress]:
    """Play what is left, or ``stop_after`` matches of it; the progress after each."""
    log = ProgressLog()
    rounds = RoundDrawer(configuration, journal, log)
    await rounds.begin(play_held=play_held)
    log.scheduler = Scheduler(configuration, rounds, ScriptedBlocks(referee), journal, log)
    log.stop_after = stop_after
    await log.scheduler.run()
    return log.progress
