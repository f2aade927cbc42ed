"""Direct encounter: how bots with equal scores stand among themselves (C.07, 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from polynya_contest.pairing.tie_breaks.history import Entry, Histories


def direct_encounter(
    histories: Histories, groups: Sequence[Collection[str]], win: float, *, scheduled: bool
) -> dict[str, tuple[int, float | None]]:
    """For each bot its rank among those it is tied with, and its points against them.

    If all bots of a group have met each other, their points among themselves decide; then the
    same again for those that are still tied (6.2). If not, a bot is first if it has more points
    than any other can have, had that one won all meetings that were not played; then the second,
    and so on (6.3). Bots that met more than once count with the average (6.1.2).

    Args:
        histories: of all bots.
        groups: bots that are tied.
        win: what a won round gives.
        scheduled: whether walkovers count as matches (15.2).

    Returns:
        By name the rank, 0 the best, and the points; None where there is nothing to decide: the
        bot is tied with no other, or has met none of the others.
    """
    found: dict[str, tuple[int, float | None]] = {}
    for group in groups:
        results = {name: _results(histories[name], group, scheduled=scheduled) for name in group}
        points = {name: sum(met.values()) if met else None for name, met in results.items()}
        for rank, names in enumerate(_ordered(list(group), results, win)):
            found |= {name: (rank, points[name]) for name in names}
    return found


def _results(
    entries: Sequence[Entry], group: Collection[str], *, scheduled: bool
) -> dict[str, float]:
    """The average result against each other bot of the group that was met."""
    scores: dict[str, list[float]] = defaultdict(list)
    kinds = ("played", "walkover", "missed") if scheduled else ("played",)
    for entry in entries:
        if entry.opponent in group and entry.opponent is not None and entry.kind in kinds:
            scores[entry.opponent].append(entry.score)
    return {name: sum(each) / len(each) for name, each in scores.items()}


def _ordered(
    group: list[str], results: Mapping[str, Mapping[str, float]], win: float
) -> list[list[str]]:
    """The group, the best first; bots that stay tied stand together."""
    points = {name: sum(results[name].get(other, 0.0) for other in group) for name in group}
    unmet = {name: sum(other not in results[name] for other in group) - 1 for name in group}
    if any(unmet.values()):
        parts = _certain(group, points, {name: points[name] + win * unmet[name] for name in group})
    else:
        parts = [
            [name for name in group if points[name] == score]
            for score in sorted(set(points.values()), reverse=True)
        ]
    if len(parts) == 1:
        return parts
    return [part for one in parts for part in _ordered(one, results, win)]


def _certain(
    group: list[str], points: Mapping[str, float], most: Mapping[str, float]
) -> list[list[str]]:
    """One by one those that are first for all possible missing results; the others together."""
    left, first = list(group), []
    while len(left) > 1:
        best = max(left, key=points.__getitem__)
        if any(most[other] >= points[best] for other in left if other != best):
            break
        first.append([best])
        left.remove(best)
    return [*first, left]
