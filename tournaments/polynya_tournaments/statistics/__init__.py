"""What a tournament's results say about its bots, with how far that is to be trusted.

The arithmetic needs numpy and scipy, the extra ``polynya[report]``; importing this package needs
neither.
"""

from polynya_tournaments.statistics.extra import analyse
from polynya_tournaments.statistics.values import (
    Analysis,
    BotEstimate,
    Help,
    Interval,
    PairScore,
    SeatEstimate,
)

__all__ = ["Analysis", "BotEstimate", "Help", "Interval", "PairScore", "SeatEstimate", "analyse"]
