"""The example games as environments of PettingZoo: observations show the seat's view, no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test.api_test import api_test
from pettingzoo.test.parallel_test import parallel_api_test
from pettingzoo.test.seed_test import parallel_seed_test, seed_test

from polynya_games import IllegalStep, load
from polynya_games.checks import visits_of_match
from polynya_games.rl import Match, env, parallel_env
from polynya_games.seats import acting, guess, legal_steps, view

SETUPS: list[tuple[str, int, dict[str, Any]]] = [
    ("kuhn", 2, {"hands": 4}),
    ("goofspiel", 2, {}),
    ("goofspiel", 4, {"cards": 5}),
    ("snakes", 2, {"size": 7}),
    ("snakes", 5, {"turn_limit": 30}),
]
each_setup = pytest.mark.parametrize(("game", "players", "options"), SETUPS)
# PettingZoo keeps a list of its own environments whose observations are dictionaries ...
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    # ... and would have something legal even when the match is over.
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]


@each_setup
def test_pettingzoos_tests_of_the_aec_interface_pass(
    game: str, players: int, options: dict[str, Any]
) -> None:
    api_test(env(game, players, options))  # type: ignore[no-untyped-call]
    seed_test(lambda: env(game, players, options))  # type: ignore[no-untyped-call]


@each_setup
def test_pettingzoos_tests_of_the_parallel_interface_pass(
    game: str, players: int, options: dict[str, Any]
) -> None:
    parallel_api_test(parallel_env(game, players, options))
    parallel_seed_test(lambda: parallel_env(game, players, options))  # type: ignore[no-untyped-call]


@each_setup
def test_positions_that_agree_in_a_seats_view_are_equal_observations(
    game: str, players: int, options: dict[str, Any]
) -> None:
    match = Match(load(game), players, options)
    others = 0
    for visit in visits_of_match(load(game), players, 0, options):
        for seat, agent in enumerate(match.agents):
            guessed = guess(visit.state, seat, visit.index)
            assert guessed is not None
            assert view(guessed, seat) == view(visit.state, seat)
            others += guessed != visit.state
            match.position = visit.state
            before = match.observe(agent)
            match.position = guessed
            assert all(np.array_equal(before[key], match.observe(agent)[key]) for key in before)
    assert others > 0


@each_setup
def test_masks_are_the_legal_steps_of_each_agent_that_acts(
    game: str, players: int, options: dict[str, Any]
) -> None:
    match = Match(load(game), players, options)
    for visit in visits_of_match(load(game), players, 0, options):
        match.position = visit.state
        for seat, agent in enumerate(match.agents):
            mask = match.observe(agent)["action_mask"]
            legal = [match.encoding.steps[action] for action in np.flatnonzero(mask)]
            assert sorted(legal) == legal_steps(visit.state, seat)


def test_an_agent_does_not_observe_the_answers_of_its_joint_turn() -> None:
    observed = []
    for bid in (0, 1, 2):
        environment = env("goofspiel", 3)
        environment.reset(seed=4)
        environment.step(bid)
        assert environment.agent_selection == "seat_1"
        observed.append([value.tolist() for value in environment.observe("seat_1").values()])
    assert observed[0] == observed[1] == observed[2]


def test_an_agent_that_has_answered_has_no_action_left_in_the_joint_turn() -> None:
    environment = env("goofspiel", 3)
    environment.reset(seed=4)
    environment.step(0)
    assert not environment.observe("seat_0")["action_mask"].any()
    assert not environment.observe("seat_2")["action_mask"].any()


@pytest.mark.parametrize("game", ["goofspiel", "snakes"])
def test_both_interfaces_play_the_same_match(game: str) -> None:
    one_by_one, together = env(game, 3), parallel_env(game, 3)
    one_by_one.reset(seed=9)
    observations, _ = together.reset(seed=9)
    generator = np.random.default_rng(0)
    total = dict.fromkeys(together.possible_agents, 0.0)
    while together.agents:
        actions = {
            agent: int(generator.choice(np.flatnonzero(observations[agent]["action_mask"])))
            for agent in together.agents
            if observations[agent]["action_mask"].any()
        }
        for action in actions.values():
            one_by_one.step(action)
        observations, rewards, _, _, _ = together.step(actions)
        total = {agent: total[agent] + reward for agent, reward in rewards.items()}
        assert one_by_one.position == together.position
    assert one_by_one.rewards == total
    assert sum(total.values()) == pytest.approx(0)


def test_a_joint_turn_without_an_answer_is_refused() -> None:
    environment = parallel_env("goofspiel", 2)
    environment.reset(seed=0)
    before = environment.position
    with pytest.raises(ValueError, match="seat_1 chooses now, and has no action"):
        environment.step({"seat_0": 1})
    assert environment.position is before


@pytest.mark.parametrize("agent", [0, 1])
def test_an_illegal_answer_of_a_joint_turn_is_refused_and_can_be_given_again(agent: int) -> None:
    environment = env("goofspiel", 2, {"cards": 3})
    environment.reset(seed=0)
    for action in (0, 0, *[1] * agent):
        environment.step(action)
    before = environment.position
    with pytest.raises(IllegalStep):
        environment.step(0)  # the card of the first round
    assert environment.position is before
    assert environment.agent_selection == f"seat_{agent}"
    environment.step(2)


def test_rewards_of_scores_are_what_each_turn_adds() -> None:
    environment = env("kuhn", options={"hands": 10}, rewards="scores")
    environment.reset(seed=3)
    total = [0.0, 0.0]
    while acting(environment.position):
        legal = np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"])
        environment.step(int(legal[0]))
        total = [old + new for old, new in zip(total, environment.rewards.values(), strict=True)]
        assert tuple(total) == environment.position.chips  # type: ignore[attr-defined]
    assert any(total)


def test_rewards_of_another_name_are_refused() -> None:
    with pytest.raises(ValueError, match='"ranking" or "scores", not \'chips\''):
        env("kuhn", rewards="chips")  # type: ignore[arg-type]


def test_a_seed_gives_the_deal_that_it_gives_everywhere() -> None:
    environment = env("kuhn")
    environment.reset(seed=7)
    assert environment.position == load("kuhn").initial_state(2, 7)
