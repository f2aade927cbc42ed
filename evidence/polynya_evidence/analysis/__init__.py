"""Statistics of a tournament's results: findings about its bots, each with its uncertainty.

The arithmetic needs numpy and scipy, the extra ``polynya[report]``; importing this package needs
neither.
"""

from polynya_evidence.analysis.estimates import (
    Analysis,
    BotEstimate,
    Companion,
    Interval,
    PairScore,
    SeatEstimate,
)
from polynya_evidence.analysis.extra import analyse

__all__ = [
    "Analysis",
    "BotEstimate",
    "Companion",
    "Interval",
    "PairScore",
    "SeatEstimate",
    "analyse",
]
