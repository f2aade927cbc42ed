"""A test that is drawn ahead: judged in the order of the schedule, however many are in play."""

from __future__ import annotations

import msgspec
import pytest
import trio

from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_tournaments.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_tournaments.pairing.formats.schedule_settings import SprtSettings
from polynya_tournaments.pairing.standings import Standings
from polynya_tournaments.store import Store, StoreJournal, open_journal
from polynya_tournaments.testing import ScriptedReferee, record_of
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Progress, Reporter
from polynya_tournaments.tournament.scheduler import Scheduler

TEST = TournamentConfiguration(
    name="test",
    game="packeis",
    bots=[BotConfiguration(name=name, external=True) for name in ("new", "old")],
    clock=Clock(move_ms=100),
    seed=5,
    format="sprt",
    sprt=SprtSettings(elo0=0, elo1=120, most=400),
)


def mostly_new(setup: MatchSetup) -> MatchRecord:
    """A script: the set-up decides, three times in four for the bot ``new``."""
    new = setup.players.index("new")
    wins = (setup.seed + new) % 4 != 0
    return record_of(setup, [1, 2] if (new == 0) is wins else [2, 1])


class Uneven(ScriptedReferee):
    """Matches last for different times, so that they do not end in the order of the schedule."""

    async def play(self, setup: MatchSetup) -> MatchRecord:
        for _ in range(setup.seed % 5 * 10):
            await trio.lowlevel.checkpoint()
        return await super().play(setup)


class Count(Reporter):
    """Notes the progress."""

    def __init__(self) -> None:
        self.progress: list[Progress] = []

    def match_over(self, record: MatchRecord, progress: Progress) -> None:  # noqa: ARG002
        self.progress.append(progress)


async def play(
    store: Store, journal: StoreJournal, concurrency: int, stop_after: int | None = None
) -> tuple[Standings, ScriptedReferee, Count]:
    configuration = msgspec.structs.replace(TEST, concurrency=concurrency)
    referee, count = Uneven(journal, ["new", "old"], mostly_new), Count()
    for bot in referee.connected.values():
        bot.concurrency = concurrency
    rounds = RoundDrawer(configuration, journal, count)
    left = await rounds.begin()
    dispatcher = Scheduler(
        configuration,
        rounds.tournament_id,
        left,
        store.tournaments.standings("test").played,
        referee,
        journal,
        count,
        rounds.next,
        judge=rounds.judge,
        drop=rounds.drop,
    )
    if stop_after is not None:
        count.match_over = lambda _record, progress: (  # type: ignore[assignment, method-assign]
            dispatcher.stop() if progress.played_now == stop_after else None
        )
    await dispatcher.run()
    return store.tournaments.standings("test"), referee, count


@pytest.fixture
async def one_by_one(store: Store, journal: StoreJournal) -> Standings:
    table, _, _ = await play(store, journal, 1)
    return table


async def test_it_ends_with_the_decision_and_needs_nothing_more(
    store: Store, one_by_one: Standings
) -> None:
    assert one_by_one.test["decision"] == "H1"
    assert one_by_one.complete
    assert one_by_one.played == 2 * sum(one_by_one.test["pentanomial"])  # type: ignore[arg-type]
    states = {pairing.state for pairing in store.tournaments.pairings("test")}
    assert states == {"played", "dropped"}
    assert store.tournaments.progress("test").scheduled == one_by_one.played


@pytest.mark.parametrize("concurrency", [2, 4])
async def test_the_verdict_is_the_same_however_many_matches_are_in_play(
    store: Store, journal: StoreJournal, tmp_path_factory: pytest.TempPathFactory, concurrency: int
) -> None:
    table, referee, count = await play(store, journal, concurrency)
    assert referee.most_at_once == concurrency
    with Store.open(tmp_path_factory.mktemp("one") / "one.sqlite", for_play=True) as other:
        async with open_journal(other) as apart:
            alone, _, _ = await play(other, apart, 1)
    assert (table.verdict, table.test) == (alone.verdict, alone.test)
    assert table.complete
    assert count.progress[-1].played == table.played == table.scheduled


async def test_a_test_that_was_stopped_goes_on_to_the_same_verdict(
    store: Store, journal: StoreJournal, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stopped, _, _ = await play(store, journal, 2, stop_after=5)
    assert not stopped.complete
    table, _, _ = await play(store, journal, 4)
    with Store.open(tmp_path_factory.mktemp("one") / "one.sqlite", for_play=True) as other:
        async with open_journal(other) as apart:
            alone, _, _ = await play(other, apart, 1)
    assert (table.verdict, table.complete) == (alone.verdict, True)
