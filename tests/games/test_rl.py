"""Every game of this distribution is an environment of PettingZoo, by PettingZoo's own tests."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution
from typing import Any

import numpy as np
import pytest
from pettingzoo.test.api_test import api_test
from pettingzoo.test.seed_test import seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from polynya_games import Game, IllegalStep, InvalidOption, NoEncoding, UnknownGame, load
from polynya_games.packeis import Packeis
from polynya_games.rl import Environment, Match, env

GAMES = [
    point.name for point in distribution("polynya").entry_points if point.group == "polynya.games"
]
SETUPS: list[tuple[str, int, dict[str, Any]]] = [
    *(
        (name, players, {})
        for name in GAMES
        for players in range(load(name).min_players, load(name).max_players + 1)
    ),
    ("arktia", 3, {"neutrals": True}),
    ("arktia", 2, {"rows": [[8, 0], [8, 1], [8, 0]], "round_limit": 2}),
    ("icecult", 4, {"setup": "scrambled", "turn_limit": 40}),
]
WITHOUT_END = ("icecult", 2, {"turn_limit": 2**63 - 1})


def each(*setups: tuple[str, int, dict[str, Any]]) -> pytest.MarkDecorator:
    """Run a test for each set-up."""
    cases = [pytest.param(*setup, id="-".join(map(str, setup))) for setup in setups]
    return pytest.mark.parametrize(("game", "players", "options"), cases)


# PettingZoo keeps a list of its own environments whose observations are dictionaries ...
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
# ... and would have something legal even when the match is over.
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@each(*SETUPS, WITHOUT_END)
def test_pettingzoos_api_test_passes(game: str, players: int, options: dict[str, Any]) -> None:
    api_test(env(game, players, options))  # type: ignore[no-untyped-call]


@each(*SETUPS, WITHOUT_END)
def test_pettingzoos_seed_test_passes(game: str, players: int, options: dict[str, Any]) -> None:
    seed_test(lambda: env(game, players, options))  # type: ignore[no-untyped-call]


def play_at_random(environment: Environment, seed: int) -> dict[str, float]:
    """Play a match; the sum of each agent's rewards."""
    generator = np.random.default_rng(seed)
    environment.reset(seed=seed)
    total = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        _, reward, terminated, _, _ = environment.last(observe=False)
        total[agent] += reward
        legal = np.flatnonzero(environment.observe(agent)["action_mask"])
        environment.step(None if terminated else int(generator.choice(legal)))
    return total


@each(*SETUPS)
def test_rewards_add_up_to_zero_and_follow_the_ranking(
    game: str, players: int, options: dict[str, Any]
) -> None:
    environment = env(game, players, options)
    total = list(play_at_random(environment, seed=3).values())
    outcome = environment.position.outcome
    assert outcome is not None
    assert sum(total) == pytest.approx(0)
    by_rank = sorted(range(players), key=lambda seat: outcome.ranking[seat])
    assert sorted(total, reverse=True) == [total[seat] for seat in by_rank]


def test_the_winner_of_two_gets_1_and_the_loser_minus_1() -> None:
    environment = env("packeis")
    total = play_at_random(environment, seed=1)
    outcome = environment.position.outcome
    assert outcome is not None
    assert outcome.ranking == (1, 2)
    assert total == {"seat_0": 1.0, "seat_1": -1.0}


def test_a_seed_gives_the_set_up_that_it_gives_everywhere() -> None:
    environment = env("packeis", 3)
    environment.reset(seed=7)
    assert environment.position == load("packeis").setup(3, 7)


def test_without_a_seed_matches_follow_from_the_last_one() -> None:
    def layouts() -> list[str]:
        environment = env("packeis")
        environment.reset(seed=7)
        environment.reset()
        second = environment.render()
        environment.reset()
        return [second, environment.render()]

    first = layouts()
    assert first == layouts()
    assert first[0] != first[1]


def test_the_mask_marks_the_legal_steps_of_the_agent_to_move() -> None:
    environment = env("arktia")
    environment.reset(seed=0)
    mask = environment.observe("seat_0")["action_mask"]
    steps = [environment.encoding.steps[action] for action in np.flatnonzero(mask)]
    assert sorted(steps) == environment.position.legal_steps()
    assert not environment.observe("seat_1")["action_mask"].any()


def test_an_agent_is_asked_until_its_turn_is_over() -> None:
    environment = env("icecult")
    environment.reset(seed=0)
    tips = [environment.encoding.actions["tip", "N", direction] for direction in ("N", "N")]
    for action in tips:
        assert environment.agent_selection == "seat_0"
        environment.step(action)
    while not environment.position.turn_over:
        assert environment.agent_selection == "seat_0"
        legal = np.flatnonzero(environment.observe("seat_0")["action_mask"])
        environment.step(int(legal[0]))
    assert environment.agent_selection == "seat_1"


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    environment = env("packeis")
    environment.reset(seed=0)
    before = environment.position
    with pytest.raises(IllegalStep):
        environment.step(environment.encoding.actions["move", 0, 1])
    with pytest.raises(ValueError, match="an action is an integer from 0 to 1123, not 1124"):
        environment.step(1124)
    with pytest.raises(ValueError, match="an action is an integer from 0 to 1123, not None"):
        environment.step(None)
    assert environment.position is before


def test_pettingzoos_wrapper_makes_an_illegal_action_a_loss() -> None:
    environment = TerminateIllegalWrapper(env("packeis"), illegal_reward=-1)
    environment.reset(seed=0)
    environment.step(env("packeis").encoding.actions["move", 0, 1])
    assert environment.terminations == {"seat_0": True, "seat_1": True}
    assert environment.rewards["seat_0"] == -1


def test_trained_policy_plays_from_the_documents_that_bots_get() -> None:
    environment = env("icecult", 3)
    environment.reset(seed=5)
    encoding, position = environment.encoding, environment.position
    legal = [list(step) for step in position.legal_steps()]
    observation = environment.observe("seat_0")
    assert encoding.observe(position.to_json(), 0) == observation["observation"].tolist()
    assert encoding.mask(legal) == observation["action_mask"].tolist()


@pytest.mark.parametrize("game", GAMES)
def test_agents_see_different_positions_as_different_numbers(game: str) -> None:
    """Along a random match no two positions look the same, whoever looks."""
    environment = env(game)
    generator = np.random.default_rng(0)
    environment.reset(seed=0)
    documents, seen = set(), set()
    while environment.position.to_move is not None:
        documents.add(environment.render())
        seen.add(environment.observe("seat_1")["observation"].tobytes())
        legal = environment.position.legal_steps()
        step = legal[int(generator.integers(len(legal)))]
        environment.step(environment.encoding.actions[step])
    assert len(seen) == len(documents)


def test_impossible_setup_is_refused_by_the_game() -> None:
    with pytest.raises(InvalidOption, match="Arktia is for 2 to 4 players, not 5"):
        env("arktia", 5)
    with pytest.raises(UnknownGame):
        env("no such game")


def test_game_without_an_encoding_gets_a_sentence_with_the_remedy() -> None:
    class Plain(Packeis):
        title = "Plain Packeis"
        encoding = Game.encoding

    with pytest.raises(NoEncoding, match=r"Plain Packeis does not say .* a method encoding"):
        Environment(Match(Plain()))


def test_without_the_extra_a_sentence_says_what_to_install() -> None:
    program = "import sys; sys.modules['pettingzoo'] = None; import polynya_games.rl"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: polynya_games.rl needs pettingzoo; "
        "pip install 'polynya[rl]' brings it"
    )


def test_the_games_alone_import_no_array_library() -> None:
    program = (
        "import sys; from polynya_games import installed, load; [load(n) for n in installed()]; "
        "print([m for m in ('numpy', 'gymnasium', 'pettingzoo') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n"
