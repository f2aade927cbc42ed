"""A test that is drawn ahead: judged in the order of the schedule, however many are in play."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import trio
from tests.scripted.scripted_referee import ScriptedReferee, record_of
from tests.tournaments.tournament.scripted_runs import run_scripted

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.schedule_settings import SprtSettings
from polynya_contest.pairing.standings import Standings
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store, StoreJournal, open_journal
from polynya_tournaments.tournament.progress_events import RunProgress

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


async def play(
    journal: StoreJournal, concurrency: int, stop_after: int | None = None
) -> tuple[ScriptedReferee, list[RunProgress]]:
    referee = Uneven(journal, ["new", "old"], mostly_new)
    for bot in referee.connected.values():
        bot.concurrency = concurrency
    configuration = msgspec.structs.replace(TEST, concurrency=concurrency)
    return referee, await run_scripted(configuration, journal, referee, stop_after)


async def played_alone(path: Path) -> Standings:
    """The table after all matches one after the other, in a database of its own."""
    with Store.open(path, for_play=True) as store:
        async with open_journal(store) as journal:
            await play(journal, 1)
        return store.tournaments.standings("test")


@pytest.fixture
async def one_by_one(store: Store, journal: StoreJournal) -> Standings:
    await play(journal, 1)
    return store.tournaments.standings("test")


async def test_test_ends_with_its_decision(store: Store, one_by_one: Standings) -> None:
    assert one_by_one.test["decision"] == "H1"
    assert one_by_one.complete
    assert one_by_one.played == 2 * sum(one_by_one.test["pentanomial"])  # type: ignore[arg-type]
    states = {pairing.state for pairing in store.tournaments.pairings("test")}
    assert states == {"played", "dropped"}
    assert store.tournaments.progress("test").scheduled == one_by_one.played


@pytest.mark.parametrize("concurrency", [2, 4])
async def test_the_verdict_is_the_same_however_many_matches_are_in_play(
    store: Store, journal: StoreJournal, tmp_path: Path, concurrency: int
) -> None:
    referee, progress = await play(journal, concurrency)
    table = store.tournaments.standings("test")
    alone = await played_alone(tmp_path / "alone.sqlite")
    assert referee.most_at_once == concurrency
    assert (table.verdict, table.test) == (alone.verdict, alone.test)
    assert table.complete
    assert progress[-1].played == table.played == table.scheduled


async def test_a_test_that_was_stopped_goes_on_to_the_same_verdict(
    store: Store, journal: StoreJournal, tmp_path: Path
) -> None:
    await play(journal, 2, stop_after=5)
    assert not store.tournaments.standings("test").complete
    await play(journal, 4)
    table = store.tournaments.standings("test")
    alone = await played_alone(tmp_path / "alone.sqlite")
    assert (table.verdict, table.complete) == (alone.verdict, True)
