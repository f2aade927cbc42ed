"""A tournament of a game with joint turns: a match counts as many as it has seats."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from tests.clients.toolchains import require
from tests.games.example_games import example_games
from tests.scripted.scripted_referee import ScriptedReferee
from tests.tournaments.tournament.scripted_runs import run_scripted

from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots import supervisor
from polynya_hosting.bots.cores import core_numbers, usable_cores
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import Store, StoreJournal
from polynya_tournaments.tournament import runner
from polynya_tournaments.tournament.hosted_blocks import number_of
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.runner import run_tournament

__all__ = ["example_games"]

NAMES = [f"bot{number}" for number in range(8)]
CUP = TournamentConfiguration(
    name="cup",
    game="goofspiel",
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
    seed=5,
)

SHOWS_CORES = """
import os
from polynya_client import run
print("cores", *sorted(os.sched_getaffinity(0)), flush=True)
run(lambda turn: [turn.legal[0]])
"""


async def played(journal: StoreJournal, configuration: TournamentConfiguration) -> ScriptedReferee:
    """Play a whole tournament of bots from outside, each in many matches at once."""
    referee = ScriptedReferee(journal, NAMES)
    for bot in referee.connected.values():
        bot.concurrency = 100
    with trio.fail_after(60):
        await run_scripted(configuration, journal, referee)
    return referee


@pytest.mark.parametrize(("game", "expected"), [("packeis", 4), ("goofspiel", 2)])
async def test_concurrency_counts_the_seats_of_a_joint_match(
    journal: StoreJournal, game: str, expected: int
) -> None:
    referee = await played(journal, replace(CUP, game=game, concurrency=4))
    assert referee.most_at_once == expected


async def test_joint_match_of_more_seats_than_concurrency_is_played_alone(
    store: Store, journal: StoreJournal
) -> None:
    referee = await played(journal, replace(CUP, players=4, concurrency=3))
    assert referee.most_at_once == 1
    assert store.tournaments.is_complete("cup")


async def test_schedule_of_joint_matches_is_the_same_with_any_concurrency(
    journal: StoreJournal,
) -> None:
    one = await played(journal, replace(CUP, name="one", concurrency=1))
    many = await played(journal, replace(CUP, name="many", concurrency=16))
    assert (one.most_at_once, many.most_at_once) == (1, 8)
    assert pairings(one) == pairings(many)


def pairings(referee: ScriptedReferee) -> dict[int, tuple[object, ...]]:
    """Players and deals of the matches by their number in the schedule."""
    return {
        number_of(setup.match): (setup.players, setup.seed, setup.deal) for setup in referee.played
    }


class Spoken(Reporter):
    """Keeps the warnings of a run, and how many matches were in play."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.most_in_play = 0

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self.most_in_play = max(self.most_in_play, progress.in_play + 1)

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


def hosted(
    store: Store, bots: int, *, players: int = 2, concurrency: int = 8, game: str = "goofspiel"
) -> TournamentConfiguration:
    """Two matches, or more, of built-in bots that are started here."""
    return TournamentConfiguration(
        name="cup",
        game=game,
        bots=[BotConfiguration(name=name, builtin="random") for name in NAMES[:bots]],
        clock=Clock(initial_ms=600_000),
        players=players,
        concurrency=concurrency,
        options={"cards": 3} if game == "goofspiel" else {},
        database=str(store.address),
        start_ms=120_000,
    )


async def run_hosted(configuration: TournamentConfiguration, store: Store) -> Spoken:
    """Play a tournament with real processes to its end."""
    spoken = Spoken()
    with trio.fail_after(300):
        await run_tournament(configuration, store, spoken)
    assert store.tournaments.is_complete("cup")
    return spoken


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two cores."""
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 2)
    monkeypatch.setattr(runner, "usable_cores", lambda: 2)


@pytest.mark.usefixtures("two_cores")
async def test_matches_that_do_not_fit_on_the_cores_wait_and_the_run_says_so(store: Store) -> None:
    spoken = await run_hosted(hosted(store, 4), store)
    assert spoken.most_in_play == 1
    assert spoken.warnings == [
        "at most 1 of the 4 matches that concurrency asks for are played at the same time: a bot "
        "that thinks has one of the 2 processor cores to itself, unless share_cores = true"
    ]


@pytest.mark.usefixtures("two_cores")
async def test_match_that_needs_more_cores_than_there_are_is_played_alone_with_one_warning(
    store: Store,
) -> None:
    spoken = await run_hosted(hosted(store, 4, players=3), store)
    assert spoken.most_in_play == 1
    assert spoken.warnings == [
        "the 3 bots of a match think at the same time, and there are 2 processor cores: one match "
        "is played at a time, and its bots share the cores"
    ]


@pytest.mark.usefixtures("two_cores")
async def test_match_on_as_many_cores_as_it_needs_gives_no_warning(store: Store) -> None:
    spoken = await run_hosted(hosted(store, 2, concurrency=2), store)
    assert spoken.warnings == []


@pytest.mark.usefixtures("two_cores")
async def test_bots_that_may_share_cores_play_several_joint_matches_without_a_warning(
    store: Store,
) -> None:
    shared = replace(hosted(store, 4, players=3, concurrency=6), share_cores=True)
    assert supervisor.possible_at_once(shared) == 2
    spoken = await run_hosted(shared, store)
    assert spoken.warnings == []


@pytest.mark.skipif(usable_cores() < 2, reason="the two bots of a match need two cores")
async def test_each_process_of_joint_matches_runs_on_a_core_of_its_own(
    store: Store, tmp_path: Path
) -> None:
    require("bubblewrap")
    program = [sys.executable, "-c", SHOWS_CORES]
    pinned = replace(
        hosted(store, 2, concurrency=usable_cores()),
        bots=[BotConfiguration(name=name, command=program) for name in NAMES[:2]],
        sandbox=SandboxSettings(driver="bubblewrap"),
        cycles=4,
        logs=str(tmp_path / "logs"),
    )
    await run_hosted(pinned, store)
    cores = [
        line.removeprefix("cores ")
        for log in (tmp_path / "logs").glob("*.log")
        for line in log.read_text().splitlines()
        if line.startswith("cores ")
    ]
    assert len(cores) >= 2
    assert len(set(cores)) == len(cores)
    assert {int(core) for core in cores} <= set(core_numbers())
    with Store.open(store.address) as recorded:
        replays = [decode_replay(document) for _, document in recorded.matches.replays()]
    sandboxes = {words for replay in replays for words in replay.setup.sandboxes or ()}
    assert [words for words in sandboxes if not str(words).endswith(", pinned")] == []
