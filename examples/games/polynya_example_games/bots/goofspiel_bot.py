"""A bot for Goofspiel: it bids about what the prize is worth."""

from __future__ import annotations

import argparse
import os
import random

from polynya_client import Step, Turn, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seed", default=os.environ.get("POLYNYA_SEED"), help="play the same again")


def main() -> None:
    """Play until the server has no more matches."""
    generator = random.Random(parser.parse_args().seed)

    def choose(turn: Turn) -> list[Step]:
        """One of the cards next to the prize, so that the bid cannot be foreseen."""
        hand = turn.state["hands"][turn.seat]
        near = sorted(hand, key=lambda card: (abs(card - turn.state["prize"]), -card))
        return [["bid", generator.choice(near[:2])]]

    run(choose, name="goofspiel", games=["goofspiel"], wants=["state"])


if __name__ == "__main__":
    main()
