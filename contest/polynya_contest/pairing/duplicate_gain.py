"""How much narrower intervals are because the matches of a block share a deal."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from polynya_contest.pairing.formats import PlayedBlock


def narrowing(blocks: Iterable[PlayedBlock]) -> float | None:
    """The part by which intervals from blocks are narrower than from independent matches.

    With blocks of k matches, a variance b of a bot's mean score in a block, and a variance m of its
    score in a match, a mean score of n blocks has the standard error sqrt(b / n), and that of n k
    independent matches sqrt(m / (n k)). The square of their quotient, k b / m, is the design effect
    (L. Kish, "Survey Sampling", 1965, chapter 5.4); the narrowing is 1 minus the quotient.

    Both variances are pooled over bots and over groups of opponents, each around its own mean, so
    that differences in strength do not count. Blocks that are not played out are left out.

    Returns:
        1 if all luck is gone, 0 if nothing is gained, less than 0 if intervals are wider; None if
        no group of opponents has two blocks, or all results of each are alike.
    """
    groups: defaultdict[tuple[str, ...], list[list[float]]] = defaultdict(list)
    for block in blocks:
        if len(block.results) == len(block.players):
            for name in block.players:
                groups[(name, *sorted(block.players))].append(_shares(block, name))
    of_blocks = of_matches = 0.0
    blocks_free = matches_free = 0
    size = 1
    for scores in groups.values():
        size = len(scores[0])
        of_blocks += _squares([math.fsum(block) / size for block in scores])
        of_matches += _squares([score for block in scores for score in block])
        blocks_free += len(scores) - 1
        matches_free += len(scores) * size - 1
    if not blocks_free or not of_matches:
        return None
    effect = size * (of_blocks / blocks_free) / (of_matches / matches_free)
    return 1 - math.sqrt(effect)


def narrowing_words(found: float | None) -> str:
    """The same as a sentence; empty if nothing is known."""
    if found is None:
        return ""
    how = "narrower" if found >= 0 else "wider"
    return (
        f"Duplicate deals made the intervals {abs(found):.0%} {how} than independent matches would"
    )


def _shares(block: PlayedBlock, name: str) -> list[float]:
    """The part of its opponents that a bot left behind, 0 to 1, match by match."""
    return [
        PlayedBlock(block.key, block.players, results=(result,)).points()[name]
        / (len(block.players) - 1)
        for result in block.results
    ]


def _squares(values: Sequence[float]) -> float:
    """The sum of the squared deviations from the mean."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values)
