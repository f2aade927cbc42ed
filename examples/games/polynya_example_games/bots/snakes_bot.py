"""A bot for Snakes, in three strengths."""

from __future__ import annotations

import argparse
import os
import random

from polynya_client import Step, Turn, run
from polynya_example_games.bots.snakes_strategy import STRATEGIES, position_of

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seed", default=os.environ.get("POLYNYA_SEED"), help="play the same again")
parser.add_argument("--strategy", default="search", choices=[*STRATEGIES], help="how it chooses")


def main() -> None:
    """Play until the server has no more matches."""
    arguments = parser.parse_args()
    strategy, generator = STRATEGIES[arguments.strategy], random.Random(arguments.seed)

    def choose(turn: Turn) -> list[Step]:
        position = position_of(turn.state)
        return [["move", strategy(position, turn.seat, generator, turn.think_until())]]

    run(choose, name=f"snakes-{arguments.strategy}", games=["snakes"], wants=["state"])


if __name__ == "__main__":
    main()
