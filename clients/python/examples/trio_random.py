"""The random bot for trio: it knows no rules, asks the server what is legal and picks any of it."""

import argparse
import os
import random
from functools import partial

import trio

from polynya_client.aio import Step, Turn, run

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seed", default=os.environ.get("POLYNYA_SEED"), help="play the same again")
parser.add_argument("--concurrency", type=int, default=1, help="matches at the same time")


async def choose(turn: Turn) -> list[Step]:
    """One random legal step after the other until the turn is over."""
    turn.info = {"choices": len(turn.legal)}
    steps = [dice.choice(turn.legal)]
    while not (legal := await turn.legal_after(steps)).turn_over:
        steps.append(dice.choice(legal.steps))
    return steps


if __name__ == "__main__":
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    play = partial(run, choose, name="random", wants=["legal"], concurrency=arguments.concurrency)
    trio.run(play)
