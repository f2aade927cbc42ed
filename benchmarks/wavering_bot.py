"""A bot that is greedy in some of its turns, and picks any turn in the others.

Its dice follow from its name, the match and the turn, so that it plays the same whenever a match
is played. ``python wavering_bot.py SHARE``, from 0 to 1.
"""

from __future__ import annotations

import os
import random
import sys

from greedy_bot import GREEDY
from polynya_client import Steps, Turn, run

SHARE = float(sys.argv[1])
NAME = os.environ.get("POLYNYA_NAME", "")


def choose(turn: Turn) -> Steps:
    """One of the turns that are worth most now, or any."""
    dice = random.Random(f"{NAME}/{turn.match.id}/{turn.number}")
    if dice.random() < SHARE:
        turns = GREEDY[turn.game](turn)
        best = max(value for value, _ in turns)
        return dice.choice([steps for value, steps in turns if value == best])
    steps = [dice.choice(turn.legal)]
    while not (legal := turn.legal_after(steps)).turn_over:
        steps.append(dice.choice(legal.steps))
    return steps


run(choose, name="wavering", games=sorted(GREEDY), wants=["state", "legal"])
