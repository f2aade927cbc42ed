"""The time until an endgame of Packeis is exact: ``python -m benchmarks.endgames``.

Random positions on connected floes, by the number of floes and of each seat's penguins: those where
both seats share the floes, and those where one of them is alone.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from statistics import median

from tests.games.packeis.positions import random_position

from polynya_games.packeis.endgame import exact

KINDS = {
    "alone, 1 penguin": (1, 0),
    "alone, 4 penguins": (4, 0),
    "2 penguins each": (2, 2),
    "4 penguins each": (4, 4),
}
FLOES = (12, 16, 20, 24)
MOST_POSITIONS = 60_000


def times(floes: int, penguins: Sequence[int], count: int) -> list[float]:
    """Seconds until the exact value of each position, infinite where there was none."""
    found = []
    for number in range(count):
        state = random_position(random.Random(1_000 * floes + number), floes, penguins)
        began = time.perf_counter()
        value = exact(state, MOST_POSITIONS)
        found.append(time.perf_counter() - began if value else float("inf"))
    return found


def main() -> None:
    """Print a line for each kind and number of floes; a kind ends where few have a value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=10)
    count = parser.parse_args().positions
    print(f"{'':20}{'floes':>6}{'median s':>10}{'within 1 s':>12}{'within 10 s':>13}")
    for kind, penguins in KINDS.items():
        for floes in FLOES:
            taken = times(floes, penguins, count)
            within = [sum(one <= limit for one in taken) for limit in (1, 10)]
            shares = [f"{number / count:.0%}" for number in within]
            row = f"{kind:20}{floes:6}{median(taken):10.3f}{shares[0]:>12}{shares[1]:>13}"
            print(row, flush=True)
            if 2 * within[1] < count:
                break


if __name__ == "__main__":
    main()
