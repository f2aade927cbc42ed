"""A bot for Nim: with two players it wins wherever a win can be forced."""

from __future__ import annotations

import functools
import operator

from polynya_client import Step, Turn, run


def choose(turn: Turn) -> list[Step]:
    """Leave heaps whose binary sum without carry is 0 (Bouton, 1901); else take one stone."""
    heaps: list[int] = turn.state["heaps"]
    rest = functools.reduce(operator.xor, heaps)
    for heap, stones in enumerate(heaps):
        if (left := stones ^ rest) < stones:
            return taking(heap, stones - left, left)
    return taking(heaps.index(max(heaps)), 1, max(heaps) - 1)


def taking(heap: int, count: int, left: int) -> list[Step]:
    """The turn that takes ``count`` stones and leaves ``left`` in the heap."""
    steps: list[Step] = [["take", heap]] * count
    return [*steps, ["stop"]] if left else steps


if __name__ == "__main__":
    run(choose, name="nim", games=["nim"], wants=["state"])
