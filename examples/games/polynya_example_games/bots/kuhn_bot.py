"""A bot that plays one of the equilibria of Kuhn poker."""

from __future__ import annotations

import argparse
import os
import random
from fractions import Fraction

from polynya_client import Step, Turn, run
from polynya_example_games.bots.kuhn_strategy import chosen

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seed", default=os.environ.get("POLYNYA_SEED"), help="play the same again")
parser.add_argument("--alpha", default="1/6", help="0 to 1/3: how often a jack is bet first")


def main() -> None:
    """Play until the server has no more matches."""
    arguments = parser.parse_args()
    alpha = float(Fraction(arguments.alpha))
    generator = random.Random(arguments.seed)

    def choose(turn: Turn) -> list[Step]:
        return [list(chosen(alpha, turn.seat, turn.state, generator.random()))]

    run(choose, name="kuhn", games=["kuhn"], wants=["state"])


if __name__ == "__main__":
    main()
