"""How many cores a match needs, and what that leaves for matches, processes and pinning."""

from __future__ import annotations

import pytest
from tests.games.example_games import example_games

from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots import supervisor
from polynya_hosting.bots.cores import cores_of, matches_on
from polynya_hosting.bots.supervisor import (
    core_of,
    possible_at_once,
    processes_of,
    requested_at_once,
)
from polynya_protocol.messages import Clock

__all__ = ["example_games"]

JOINT = "goofspiel"
SEQUENTIAL = "packeis"
BOXED = SandboxSettings(driver="bubblewrap")


def cup(
    bots: int,
    *,
    game: str = JOINT,
    players: int = 2,
    concurrency: int = 8,
    external: int = 0,
    share_cores: bool = False,
) -> TournamentConfiguration:
    """A tournament; the last ``external`` of its bots connect from outside."""
    names = [f"bot{number}" for number in range(bots)]
    hosted = [BotConfiguration(name=name, builtin="random") for name in names[: bots - external]]
    others = [BotConfiguration(name=name, external=True) for name in names[bots - external :]]
    return TournamentConfiguration(
        name="cup",
        game=game,
        bots=[*hosted, *others],
        clock=Clock(move_ms=100),
        players=players,
        concurrency=concurrency,
        share_cores=share_cores,
        sandbox=BOXED,
    )


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose four cores have the numbers 10 to 13."""
    monkeypatch.setattr(supervisor, "usable_cores", lambda: 4)
    monkeypatch.setattr(supervisor, "core_numbers", lambda: [10, 11, 12, 13])


@pytest.mark.parametrize("seats", [2, 4])
def test_match_of_a_game_without_joint_turns_needs_one_core(seats: int) -> None:
    assert cores_of(SEQUENTIAL, seats) == 1


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_match_of_a_game_with_joint_turns_needs_a_core_for_each_seat(seats: int) -> None:
    assert cores_of(JOINT, seats) == seats


@pytest.mark.parametrize(("cores", "expected"), [(2, 1), (3, 1), (4, 2), (7, 3)])
def test_cores_that_are_not_enough_for_one_more_joint_match_stay_free(
    cores: int, expected: int
) -> None:
    assert matches_on(cores, JOINT, 2) == expected


def test_match_that_needs_more_cores_than_there_are_is_still_possible() -> None:
    assert matches_on(2, JOINT, 5) == 1


def test_concurrency_counts_a_joint_match_once_for_each_seat() -> None:
    assert requested_at_once(cup(8, external=8)) == 4
    assert requested_at_once(cup(8, external=8, game=SEQUENTIAL)) == 8


@pytest.mark.usefixtures("four_cores")
def test_bots_of_all_joint_matches_have_a_core_each() -> None:
    assert possible_at_once(cup(8)) == 2
    assert possible_at_once(cup(8, game=SEQUENTIAL)) == 4


@pytest.mark.usefixtures("four_cores")
def test_joint_match_of_more_seats_than_cores_is_played_alone() -> None:
    assert possible_at_once(cup(6, players=6)) == 1
    assert processes_of(cup(6, players=6)) == 1


@pytest.mark.usefixtures("four_cores")
def test_bots_that_may_share_cores_play_the_joint_matches_that_concurrency_asks_for() -> None:
    assert possible_at_once(cup(8, share_cores=True)) == 4
    assert possible_at_once(cup(8, share_cores=True, concurrency=12)) == 6


@pytest.mark.usefixtures("four_cores")
def test_bot_has_a_process_for_each_joint_match_that_it_can_be_in() -> None:
    assert processes_of(cup(2)) == 2
    assert processes_of(cup(2, game=SEQUENTIAL)) == 4


@pytest.mark.usefixtures("four_cores")
def test_bots_from_outside_leave_the_cores_to_the_hosted_ones() -> None:
    assert possible_at_once(cup(8, external=1)) is None
    assert processes_of(cup(8, external=1, concurrency=6)) == 3
    assert processes_of(cup(8, external=1, concurrency=20)) == 4


@pytest.mark.usefixtures("four_cores")
def test_each_process_of_a_joint_match_is_pinned_to_a_core_of_its_own() -> None:
    two = cup(2)
    pinned = [core_of(two, name, number) for name in ("bot0", "bot1") for number in (1, 2)]
    assert pinned == [10, 11, 12, 13]


@pytest.mark.usefixtures("four_cores")
def test_no_process_is_pinned_where_joint_matches_need_more_cores_than_there_are() -> None:
    assert core_of(cup(6, players=6), "bot0", 1) is None
