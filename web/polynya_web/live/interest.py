"""Chooses the match in play that is most worth watching."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_web.live.game_servers import LiveMatch
from polynya_web.live.shown import scores_now


def margin(match: LiveMatch) -> float:
    """How far the first is ahead of the last, as a part of the first's score; from 0 to 1."""
    return margin_of(scores_now(match))


def margin_of(scores: Sequence[int] | None) -> float:
    """The same of the scores; 0 without any."""
    most = max(map(abs, scores or [0]))
    return min(1.0, (max(scores) - min(scores)) / most) if scores and most else 0.0


def most_interesting(matches: Sequence[LiveMatch], margins: Sequence[float]) -> LiveMatch | None:
    """The match with the strongest and most equal bots and the closest score, taken together.

    Each of the three puts the matches into an order, and the sum of a match's places counts,
    because ratings of different games and systems have no common scale. Of equal matches it is
    the last to have begun.

    Args:
        matches: those in play, in the order of beginning.
        margins: of each, see :func:`margin`.
    """
    strengths = _places([-_mean_rating(one) for one in matches])
    gaps = _places([_rating_gap(one) for one in matches])
    closeness = _places(margins)
    sums = [sum(places) for places in zip(strengths, gaps, closeness, strict=True)]
    best = min(range(len(matches)), key=lambda index: (sums[index], -index), default=None)
    return None if best is None else matches[best]


def _places(figures: Sequence[float]) -> list[int]:
    """For each figure, the number of smaller ones."""
    order = sorted(figures)
    first = {figure: order.index(figure) for figure in set(figures)}
    return [first[figure] for figure in figures]


def _ratings(match: LiveMatch) -> list[float]:
    return [rating for rating in match.setup.ratings or () if rating is not None]


def _mean_rating(match: LiveMatch) -> float:
    known = _ratings(match)
    return sum(known) / len(known) if known else 0.0


def _rating_gap(match: LiveMatch) -> float:
    """Gap between the best and the weakest bot; large if a bot has no rating."""
    known = _ratings(match)
    if len(known) < len(match.setup.players):
        return float("inf")
    return max(known) - min(known)
