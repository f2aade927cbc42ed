"""A bot that asks one of OpenSpiel's bots: Monte Carlo tree search, or a random action.

With a seed it plays the same in the same position: the search counts its playouts and knows no
clock.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Mapping
from typing import Any, Final

import pyspiel

from polynya_client import Step, Turn, run
from polynya_foreign.openspiel import PREFIX
from polynya_foreign.openspiel.bots import MCTS
from polynya_foreign.openspiel.model import kinds
from polynya_foreign.openspiel.names import action_names
from polynya_foreign.openspiel.parameters import parameters

EXPLORATION: Final = 2.0
"""The constant of UCT."""
MOST_MIB: Final = 100
PLIES: Final = 20_000
"""Plies of all playouts of a turn if each were as long as a match can be."""
LEAST_PLAYOUTS: Final = 10
MOST_PLAYOUTS: Final = 1_000
SLOW: Final = {"go": 20, "hive": 5, "mnk": 15, "xiangqi": 12, "yacht": 80}
"""Playouts for a turn in games whose single plies take long, so that 100 ms are enough."""

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("bot", choices=("mcts", "uniform"))
parser.add_argument("--seed", default=os.environ.get("POLYNYA_SEED"), help="play the same again")
parser.add_argument("--playouts", type=int, help="playouts for a turn, for the search")


def main() -> None:
    """Play until the server has no more matches."""
    given = parser.parse_args()
    seed = os.urandom(8).hex() if given.seed is None else given.seed

    def choose(turn: Turn) -> list[Step]:
        game, state = replayed(turn.state)
        played = len(turn.state["history"])
        dice = random.Random(f"{seed} {turn.seat} {played}")  # noqa: S311 - no secret
        if given.bot == "mcts":
            bot = searching(game, given.playouts or playouts(game), dice.getrandbits(31))
        else:
            bot = pyspiel.make_uniform_random_bot(turn.seat, dice.getrandbits(31))
        action = bot.step(state)
        names = {number: name for name, number in action_names(state, turn.seat).items()}
        return [["play", names[action]]]

    run(choose, name=given.bot, games=MCTS["games"], wants=["state"])


def replayed(document: Mapping[str, Any]) -> tuple[Any, Any]:
    """OpenSpiel's game and state of a document."""
    name = document["game"].removeprefix(PREFIX)
    specification = kinds()[name].parameter_specification
    options = {key: value for key, value in document["options"].items() if key in specification}
    game = pyspiel.load_game(name, parameters(specification, document["players"], options))
    state = game.new_initial_state()
    for _, action, _ in document["history"]:
        state.apply_action(action)
    return game, state


def playouts(game: Any) -> int:
    """The number of playouts for a turn: fewer where a match can be long."""
    name = game.get_type().short_name
    if name in SLOW:
        return SLOW[name]
    longest: int = game.max_game_length()
    return max(LEAST_PLAYOUTS, min(MOST_PLAYOUTS, PLIES // longest))


def searching(game: Any, count: int, seed: int) -> Any:
    """OpenSpiel's search."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, EXPLORATION, count, MOST_MIB, True, seed, False)


if __name__ == "__main__":
    main()
