"""What a tournament's results say about its bots, with how far that is to be trusted.

The arithmetic needs numpy and scipy, the extra ``polynya[report]``; importing this package needs
neither.
"""

from polynya_tournaments.analysis.estimates import (
    Analysis,
    BotEstimate,
    Companion,
    Interval,
    PairScore,
    SeatEstimate,
)
from polynya_tournaments.analysis.extra import analyse

__all__ = [
    "Analysis",
    "BotEstimate",
    "Companion",
    "Interval",
    "PairScore",
    "SeatEstimate",
    "analyse",
]
