"""A large schedule that is drawn in portions: as if it had been drawn at once."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.scripted.scripted_referee import ScriptedReferee, first_seat_wins
from tests.tournaments.tournament.scripted_runs import run_scripted

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats import interface
from polynya_contest.pairing.formats.drawn_once import round_robin
from polynya_contest.pairing.formats.interface import Entrant
from polynya_contest.pairing.schedule import pairings_of
from polynya_contest.pairing.standings import Standings
from polynya_contest.secret import Secret
from polynya_protocol.messages import Clock
from polynya_store import Store, open_journal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress

NAMES = ("ann", "bob", "cid", "dot")
CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
    seed=5,
    cycles=3,
    concurrency=1,
)
SIZE = 36
PORTION = 8


def without(*names: str) -> TournamentConfiguration:
    bots = [
        msgspec.structs.replace(bot, withdrawn=True) if bot.name in names else bot
        for bot in CUP.bots
    ]
    return msgspec.structs.replace(CUP, bots=bots)


async def play(
    store: Store, configuration: TournamentConfiguration = CUP, stop_after: int | None = None
) -> list[RunProgress]:
    async with open_journal(store) as journal:
        referee = ScriptedReferee(journal, list(NAMES), first_seat_wins)
        return await run_scripted(configuration, journal, referee, stop_after)


def schedule(store: Store) -> list[tuple[int, str, tuple[str, ...], int]]:
    return [
        (row.number, row.block, row.players, int(row.seed))
        for row in store.tournaments.pairings("cup")
    ]


def points(table: Standings) -> dict[str, float]:
    return {row.name: row.points for row in table.rows}


def drawn_at_once() -> list[tuple[int, str, tuple[str, ...], int]]:
    """The schedule, from its format alone."""
    drawn = round_robin([Entrant(name) for name in NAMES], 2, CUP.cycles)
    pairings = pairings_of(drawn.blocks_after(0), Secret.of_seed(CUP.seed or 0).match_seed)
    return [(one.number, one.block, one.players, one.seed) for one in pairings]


def draw_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interface, "AT_ONCE", PORTION)
    monkeypatch.setattr(interface, "LARGEST_PORTION", PORTION)


@pytest.fixture
def portions(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_in_portions(monkeypatch)


@pytest.mark.usefixtures("portions")
async def test_matches_numbers_and_seeds_are_the_same_in_portions(store: Store) -> None:
    await play(store)
    assert len(drawn_at_once()) == SIZE
    assert drawn_at_once() == schedule(store)


@pytest.mark.usefixtures("portions")
async def test_only_a_portion_is_drawn_before_it_is_played(store: Store) -> None:
    await play(store, stop_after=PORTION + 1)
    assert len(store.tournaments.pairings("cup")) == 2 * PORTION


@pytest.mark.usefixtures("portions")
async def test_a_run_that_was_stopped_goes_on_where_it_was(store: Store) -> None:
    for played in (3, PORTION - 3, 1):
        await play(store, stop_after=played)
    await play(store)
    assert drawn_at_once() == schedule(store)
    assert store.tournaments.standings("cup").complete


@pytest.mark.usefixtures("portions")
async def test_the_progress_is_that_of_the_whole_schedule(store: Store) -> None:
    progress = await play(store)
    assert [(played, SIZE) for played in range(1, SIZE + 1)] == [
        (each.played, each.scheduled) for each in progress
    ]


@pytest.mark.usefixtures("portions")
async def test_between_portions_it_is_not_over(store: Store) -> None:
    await play(store, stop_after=PORTION)
    table, progress = store.tournaments.standings("cup"), store.tournaments.progress("cup")
    assert (table.played, table.scheduled) == (PORTION, SIZE)
    assert progress.scheduled + progress.undrawn == SIZE
    assert not table.over
    assert not table.complete


async def test_a_withdrawal_gives_the_points_that_it_gives_when_all_is_drawn_at_once(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "other.sqlite", for_play=True) as other:
        await play(other, stop_after=5)
        await play(other, without("bob"))
        expected = points(other.tournaments.standings("cup"))
    draw_in_portions(monkeypatch)
    await play(store, stop_after=5)
    await play(store, without("bob"))
    assert expected == points(store.tournaments.standings("cup"))
    assert store.tournaments.standings("cup").over


@pytest.mark.usefixtures("portions")
async def test_portions_of_walkovers_only_end_nothing(store: Store) -> None:
    await play(store, stop_after=5)
    await play(store, without("bob", "cid", "dot"))
    states = [row.state for row in store.tournaments.pairings("cup")]
    assert len(states) == SIZE
    assert {"played", "walkover"} == set(states)


async def test_a_tournament_that_was_drawn_at_once_goes_on(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await play(store, stop_after=5)
    draw_in_portions(monkeypatch)
    await play(store)
    assert drawn_at_once() == schedule(store)
    assert store.tournaments.standings("cup").complete


@pytest.mark.usefixtures("portions")
async def test_a_match_that_was_given_up_holds_no_later_portion_back(store: Store) -> None:
    async with open_journal(store) as journal:
        rounds = RoundDrawer(CUP, journal, Reporter())
        first = await rounds.begin()
        await journal.abandon(rounds.tournament_id, [one.id for one in first], "not today")
        second = await rounds.next()
    assert [one.pairing.number for one in second] == list(range(PORTION + 1, 2 * PORTION + 1))
    assert [row.state for row in store.tournaments.pairings("cup")[:PORTION]] == [
        "abandoned"
    ] * PORTION


@pytest.mark.usefixtures("portions")
async def test_late_entrant_follows_after_the_schedule(store: Store) -> None:
    few = msgspec.structs.replace(CUP, bots=CUP.bots[:3])
    await play(store, few, stop_after=3)
    late = msgspec.structs.replace(CUP, late_entry="zero")
    await play(store, late)
    met = ["dot" in row.players for row in store.tournaments.pairings("cup")]
    assert met == [False] * 18 + [True] * 18
    assert store.tournaments.standings("cup").complete
