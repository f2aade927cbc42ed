"""A pairing whose rules failed waits for the host, in each format and in later runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.scripted.scripted_referee import ScriptedReferee, first_seat_wins, record_of
from tests.tournaments.tournament.scripted_runs import KNOCKOUT_OF_FOUR, NAMES, run_scripted

from polynya_common.reasons import Reason
from polynya_contest.config.tournament_configuration import (
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.schedule_settings import SprtSettings
from polynya_contest.pairing.formats.swiss.swiss_settings import SwissSettings
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store, StoreJournal, open_journal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

KNOCKOUT = msgspec.structs.replace(KNOCKOUT_OF_FOUR, seed=3, concurrency=1)
SWISS = msgspec.structs.replace(
    KNOCKOUT, format="swiss", knockout=None, swiss=SwissSettings(rounds=2)
)
SPRT = msgspec.structs.replace(
    KNOCKOUT,
    format="sprt",
    knockout=None,
    bots=KNOCKOUT.bots[:2],
    sprt=SprtSettings(elo0=0, elo1=400, most=40),
)
FAILED = Reason.of("rules_failed", turn=7, why="the process has ended")


def failing_once(setup: MatchSetup) -> MatchRecord:
    """The first attempt of the third match fails."""
    if setup.match != "cup-3":
        return first_seat_wins(setup)
    failed = record_of(setup, None, reason="annulled", server_fault=True)
    return msgspec.structs.replace(failed, detail=FAILED)


async def play(
    journal: StoreJournal, configuration: TournamentConfiguration, *, play_held: bool = False
) -> Sequence[str]:
    """Play what can be played; the matches in their order."""
    referee = ScriptedReferee(journal, NAMES, failing_once)
    await run_scripted(configuration, journal, referee, play_held=play_held)
    return [setup.match for setup in referee.played]


@pytest.mark.parametrize("configuration", [KNOCKOUT, SWISS], ids=["knockout", "swiss"])
async def test_next_round_is_drawn_when_the_host_has_let_the_match_be_played(
    store: Store, journal: StoreJournal, configuration: TournamentConfiguration
) -> None:
    assert await play(journal, configuration) == ["cup-1", "cup-2", "cup-3"]
    assert await play(journal, configuration) == []
    assert {one.number: one.state for one in store.tournaments.pairings("cup")} == {
        1: "played",
        2: "played",
        3: "held",
        4: "held",
    }

    played = await play(journal, configuration, play_held=True)

    assert played[:2] == ["cup-3.2", "cup-4"]
    assert len(played) > 2
    assert store.tournaments.standings("cup").complete


async def test_test_draws_and_decides_nothing_until_the_host_has_let_the_match_be_played(
    store: Store, journal: StoreJournal
) -> None:
    first = await play(journal, SPRT)
    drawn = store.tournaments.progress("cup").drawn
    assert first == ["cup-1", "cup-2", "cup-3"]
    assert await play(journal, SPRT) == []
    assert store.tournaments.progress("cup").drawn == drawn
    assert not store.tournaments.standings("cup").complete

    await play(journal, SPRT, play_held=True)

    assert store.tournaments.standings("cup").complete


async def test_long_series_of_two_bots_is_not_drawn_on_while_they_wait(
    store: Store, journal: StoreJournal
) -> None:
    series = msgspec.structs.replace(
        KNOCKOUT, format="round_robin", knockout=None, bots=KNOCKOUT.bots[:2], cycles=1_000_000
    )
    await play(journal, series)
    drawn = store.tournaments.progress("cup").drawn
    await play(journal, series)
    assert store.tournaments.progress("cup").drawn == drawn < 10_000


async def test_bot_that_withdraws_loses_the_match_that_waits(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, KNOCKOUT)
    leaving = next(one for one in store.tournaments.pairings("cup") if one.number == 3).players[0]
    bots = [msgspec.structs.replace(one, withdrawn=one.name == leaving) for one in KNOCKOUT.bots]

    await play(journal, msgspec.structs.replace(KNOCKOUT, bots=bots))

    assert store.tournaments.standings("cup").complete


async def test_reporter_says_that_nothing_waits(journal: StoreJournal) -> None:
    said: list[str] = []

    class Told(Reporter):
        def warning(self, sentence: str) -> None:
            said.append(sentence)

    await RoundDrawer(KNOCKOUT, journal, Told()).begin(play_held=True)
    assert said == ["no match waits because the rules of the game failed"]


async def test_database_of_an_older_version_holds_what_had_been_given_up(tmp_path: Path) -> None:
    path = tmp_path / "cup.sqlite"
    with Store.open(path, for_play=True) as store:
        async with open_journal(store) as journal:
            rounds = RoundDrawer(KNOCKOUT, journal, Reporter())
            first, second, *_ = await rounds.begin()
            await journal.abandon(rounds.tournament_id, [first.id], FAILED)
            await journal.abandon(rounds.tournament_id, [second.id], "not today")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0006_duplicate_deals'")

    with Store.open(path, for_play=True) as store:
        states = [one.state for one in store.tournaments.pairings("cup")]

    assert states[:2] == ["held", "abandoned"]
