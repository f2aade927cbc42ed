"""The order of bots with the same score: Buchholz, Sonneborn-Berger and direct encounter.

After FIDE Handbook C.07. A round in which a bot did not play (a bye, a walkover, an absence) counts
as if it had met an opponent with its own score (C.07, 16.4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from polynya_contest.pairing.formats.rules1.dutch import Entry
from polynya_contest.pairing.standings import Merit

TieBreak = Literal["buchholz", "sonneborn_berger", "direct_encounter"]
Histories = Mapping[str, Sequence[Entry]]


def merits(histories: Histories, tie_breaks: Sequence[TieBreak]) -> dict[str, Merit]:
    """For each bot its score and the tie-breaks in the order given; the greater the better."""
    scores = {name: sum((e.score for e in entries), 0.0) for name, entries in histories.items()}
    orders: dict[str, tuple[float, ...]] = {name: (score,) for name, score in scores.items()}
    for name_of_break in tie_breaks:
        values = _BREAKS[name_of_break](histories, scores, orders)
        orders = {name: (*order, values[name]) for name, order in orders.items()}
    figures = ("score", *tie_breaks)
    return {
        name: Merit(order, dict(zip(figures, order, strict=True))) for name, order in orders.items()
    }


def _buchholz(
    histories: Histories, scores: Mapping[str, float], _orders: Mapping[str, object]
) -> dict[str, float]:
    """The sum of the opponents' scores."""
    return {
        name: sum(_opponents_score(name, entry, scores) for entry in entries)
        for name, entries in histories.items()
    }


def _sonneborn_berger(
    histories: Histories, scores: Mapping[str, float], _orders: Mapping[str, object]
) -> dict[str, float]:
    """The sum of the opponents' scores, each times what was scored against it."""
    return {
        name: sum(entry.score * _opponents_score(name, entry, scores) for entry in entries)
        for name, entries in histories.items()
    }


def _opponents_score(name: str, entry: Entry, scores: Mapping[str, float]) -> float:
    if entry.kind == "played" and entry.opponent is not None:
        return scores[entry.opponent]
    return scores[name]


def _direct_encounter(
    histories: Histories, _scores: Mapping[str, float], orders: Mapping[str, tuple[float, ...]]
) -> dict[str, float]:
    """The points among those who are still equal, if all of them have met each other; else 0."""
    groups: dict[tuple[float, ...], set[str]] = defaultdict(set)
    for name, order in orders.items():
        groups[order].add(name)
    values = dict.fromkeys(histories, 0.0)
    for group in groups.values():
        met = {
            name: {e.opponent: e.score for e in histories[name] if e.kind == "played"}
            for name in group
        }
        if all(group - {name} <= met[name].keys() for name in group):
            for name in group:
                values[name] = sum(met[name][other] for other in group - {name})
    return values


_BREAKS: dict[
    TieBreak,
    Callable[[Histories, Mapping[str, float], Mapping[str, tuple[float, ...]]], dict[str, float]],
] = {
    "buchholz": _buchholz,
    "sonneborn_berger": _sonneborn_berger,
    "direct_encounter": _direct_encounter,
}
