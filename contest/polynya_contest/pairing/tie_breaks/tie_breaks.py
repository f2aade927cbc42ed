"""The order of bots with the same score: the tie-breaks by name, each with its article of C.07."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from polynya_contest.pairing.standings import Merit
from polynya_contest.pairing.tie_breaks import opponents
from polynya_contest.pairing.tie_breaks.opponents import Entry, Histories, Opponents, total


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


TieBreak = Literal[
    "buchholz",
    "buchholz_cut_1",
    "buchholz_cut_2",
    "buchholz_median",
    "sonneborn_berger",
    "sonneborn_berger_cut_1",
    "direct_encounter",
    "wins",
    "second_seat_wins",
    "progressive",
    "koya",
    "average_rating",
    "performance",
    "perfect_performance",
]

_NOT_APPLICABLE = float("-inf")
"""Sorts a bot to which a tie-break does not apply behind the others."""


@dataclass(frozen=True, slots=True)
class Field:
    """Input of tie-breaks.

    Attributes:
        histories: of all bots.
        ratings: with which the bots entered; 1500 for those that are left out.
        win: what a won round gives; a drawn one gives half of it.
        scheduled: whether all rounds were drawn in advance, as in a round robin.
    """

    histories: Histories
    ratings: Mapping[str, float]
    win: float = 1.0
    scheduled: bool = False


def merits(
    field: Field, tie_breaks: Sequence[TieBreak], gone: Collection[str] = ()
) -> dict[str, Merit]:
    """Each bot's score and tie-breaks in the given order; greater is better.

    At equal scores a bot that has withdrawn, or has never played, stands behind. A figure is None
    where the tie-break says nothing: direct encounter without a tie, an average of no opponents.
    In a round robin the score is not among the figures: it is the points.
    """
    opponents = Opponents(field.histories, field.win / 2, scheduled=field.scheduled)
    orders: dict[str, tuple[float, ...]] = {
        name: (opponents.scores[name], float(_is_there(name, entries, gone)))
        for name, entries in field.histories.items()
    }
    figures: dict[str, dict[str, float | str | None]] = {
        name: {} if field.scheduled else {"score": score}
        for name, score in opponents.scores.items()
    }
    for tie_break in tie_breaks:
        if tie_break == "direct_encounter":
            ranks = _ranks(field, orders)
            values = {name: -float(rank) for name, (rank, _) in ranks.items()}
            shown = {name: points for name, (_, points) in ranks.items()}
        else:
            shown = {n: _VALUES[tie_break](field, opponents, n) for n in field.histories}
            values = {n: _NOT_APPLICABLE if v is None else v for n, v in shown.items()}
        orders = {name: (*order, values[name]) for name, order in orders.items()}
        for name, row in figures.items():
            row[tie_break] = shown[name]
    return {name: Merit(order, figures[name]) for name, order in orders.items()}


def _is_there(name: str, entries: Sequence[Entry], gone: Collection[str]) -> bool:
    return name not in gone and any(entry.kind == "played" for entry in entries)


def _ranks(
    field: Field, orders: Mapping[str, tuple[float, ...]]
) -> dict[str, tuple[int, float | None]]:
    groups: dict[tuple[float, ...], list[str]] = defaultdict(list)
    for name, order in orders.items():
        groups[order].append(name)
    tied = list(groups.values())
    return direct_encounter(field.histories, tied, field.win, scheduled=field.scheduled)


Value = Callable[[Field, Opponents, str], float | None]


def _buchholz(lowest: int = 0, highest: int = 0) -> Value:
    def value(_field: Field, opponents: Opponents, name: str) -> float:
        return total(opponents.buchholz(name), lowest, highest)

    return value


def _sonneborn_berger(lowest: int = 0) -> Value:
    def value(_field: Field, opponents: Opponents, name: str) -> float:
        return total(opponents.sonneborn_berger(name), lowest)

    return value


def _wins(field: Field, _opponents: Opponents, name: str) -> float:
    """Rounds that gave as many points as a won one, played or not."""
    return float(sum(entry.score >= field.win for entry in field.histories[name]))


def _second_seat_wins(field: Field, _opponents: Opponents, name: str) -> float:
    """Matches won on the second seat; walkovers do not count."""
    return float(sum(entry.second_seat_wins for entry in field.histories[name]))


def _progressive(field: Field, _opponents: Opponents, name: str) -> float:
    """The sum of the scores after each round."""
    entries = field.histories[name]
    rounds = len(entries)
    return sum((entry.score * (rounds - place) for place, entry in enumerate(entries)), 0.0)


def _koya(field: Field, opponents: Opponents, name: str) -> float:
    """The points against opponents with at least half of the points their rounds could give."""

    def has_half(other: str) -> bool:
        return opponents.scores[other] >= field.win * len(field.histories[other]) / 2

    entries = field.histories[name]
    return sum((e.score for e in entries if e.opponent is not None and has_half(e.opponent)), 0.0)


def _played(field: Field, name: str) -> tuple[float, list[float]]:
    """The score in the rounds that were played, 1 for a win, and the opponents' ratings."""
    entries = [entry for entry in field.histories[name] if entry.kind == "played"]
    score = sum((entry.score for entry in entries), 0.0) / field.win
    return score, [field.ratings.get(entry.opponent or "", 1500.0) for entry in entries]


def _average_rating(field: Field, _opponents: Opponents, name: str) -> float | None:
    return opponents.average_rating(_played(field, name)[1])


def _performance(field: Field, _opponents: Opponents, name: str) -> float | None:
    return opponents.performance(*_played(field, name))


def _perfect_performance(field: Field, _opponents: Opponents, name: str) -> float | None:
    return opponents.perfect_performance(*_played(field, name))


_VALUES: Mapping[TieBreak, Value] = {
    "buchholz": _buchholz(),  # 8.1
    "buchholz_cut_1": _buchholz(1),  # 14.1
    "buchholz_cut_2": _buchholz(2),  # 14.2
    "buchholz_median": _buchholz(1, 1),  # 14.3
    "sonneborn_berger": _sonneborn_berger(),  # 9.1
    "sonneborn_berger_cut_1": _sonneborn_berger(1),  # 14.1
    "wins": _wins,  # 7.1
    "second_seat_wins": _second_seat_wins,  # 7.4
    "progressive": _progressive,  # 7.5
    "koya": _koya,  # 9.2
    "average_rating": _average_rating,  # 10.1
    "performance": _performance,  # 10.2
    "perfect_performance": _perfect_performance,  # 10.3
}
