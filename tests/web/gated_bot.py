"""A bot that plays at random: a turn for each line that it reads, and on when these end.

So a test decides how far a match has come, however fast the machine is.
"""

import os
import random
import sys

from polynya_client import Step, Turn, run

dice = random.Random(os.environ["POLYNYA_SEED"])


def choose(turn: Turn) -> list[Step]:
    """One random legal step after the other, once a line has come."""
    sys.stdin.readline()
    steps = [dice.choice(turn.legal)]
    while not (legal := turn.legal_after(steps)).turn_over:
        steps.append(dice.choice(legal.steps))
    return steps


if __name__ == "__main__":
    run(choose, name="gated", wants=["legal"])
