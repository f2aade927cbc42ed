"""Statistics of a tournament's results: findings about its bots, each with its uncertainty.

The arithmetic needs numpy, of the extra ``polynya[report]``, which is in ``polynya[host]``;
importing this package does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polynya_common.extras import require_packages
from polynya_contest.pairing.standings import MatchResult
from polynya_contest.ratings.pair_tallies import LadderEstimate, PairTally
from polynya_evidence.analysis.estimates import (
    Analysis,
    BotEstimate,
    Companion,
    Interval,
    PairScore,
    SeatEstimate,
)

__all__ = [
    "Analysis",
    "BotEstimate",
    "Companion",
    "Interval",
    "PairScore",
    "SeatEstimate",
    "analyse",
    "estimate_ladder",
]

Blocks = Sequence[Sequence[MatchResult]]
"""The results that share a set-up, block by block."""


def analyse(
    names: Sequence[str], players: int, blocks: Blocks, *, with_companions: bool = True
) -> Analysis:
    """Estimate strengths, seats and draws from all results of a tournament, or of a selection.

    Args:
        names: the bots; those without a result are rated as the prior has it.
        players: of a match.
        blocks: the results of each block, in any order; the numbers depend on it by rounding only.
        with_companions: whether to look at how bots do beside each other, which is slow where there
            are thousands of blocks.

    Raises:
        TournamentError: numpy is not installed.
    """
    require_packages("numpy")
    from polynya_evidence.analysis import analysis

    return analysis.analyse(names, players, blocks, with_companions=with_companions)


def estimate_ladder(
    tallies: Sequence[PairTally], players: int, ratings: Mapping[str, float]
) -> dict[str, LadderEstimate]:
    """The strengths by which a ladder is ordered: see ``ladder_estimates``.

    Raises:
        TournamentError: numpy is not installed.
    """
    require_packages("numpy")
    from polynya_evidence.analysis.ladder_estimates import ladder_estimates

    return ladder_estimates(tallies, players, ratings)
