"""A second implementation of the tie-breaks, article by article of C.07, written for the tests.

It shares nothing with the first but the histories: rounds are plain rows of text, and each
tie-break is computed on its own, slowly.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from polynya_tournaments.pairing.tie_breaks.history import Entry
from polynya_tournaments.pairing.tie_breaks.tie_breaks import TieBreak

Histories = Mapping[str, Sequence[Entry]]
Values = dict[str, float | None]


def random_histories(dice: random.Random, win: float, *, scheduled: bool) -> dict[str, list[Entry]]:
    """Rounds of random pairs, with byes, walkovers, absences and withdrawals."""
    names = [f"b{number}" for number in range(dice.randint(2, 9))]
    histories: dict[str, list[Entry]] = {name: [] for name in names}
    gone: set[str] = set()
    for _ in range(dice.randint(1, 7)):
        dice.shuffle(names)
        here = [name for name in names if name not in gone]
        out = {name for name in here if not scheduled and dice.random() < 0.1}
        here = [name for name in here if name not in out]
        if not scheduled:
            for name in gone:
                histories[name].append(Entry("unpaired", None, 0.0))
            for name in out:
                histories[name].append(Entry("half_point_bye", None, win / 2))
        if len(here) % 2 and (alone := here.pop()) and not scheduled:
            histories[alone].append(Entry("bye", None, win))
        for one, other in zip(here[::2], here[1::2], strict=True):
            _meet(dice, histories, one, other, win)
        gone |= {name for name in names if dice.random() < 0.05}
    return histories


def _meet(
    dice: random.Random, histories: dict[str, list[Entry]], one: str, other: str, win: float
) -> None:
    kind = dice.random()
    if kind < 0.1:
        histories[one].append(Entry("walkover", other, win))
        histories[other].append(Entry("missed", one, 0.0))
    elif kind < 0.13:
        histories[one].append(Entry("missed", other, 0.0))
        histories[other].append(Entry("missed", one, 0.0))
    else:
        score = dice.choice([0.0, win / 2, win])
        histories[one].append(Entry("played", other, score))
        histories[other].append(Entry("played", one, win - score))


class _Letter:
    """The articles on unplayed rounds."""

    def __init__(self, histories: Histories, win: float, *, scheduled: bool) -> None:
        self.histories = histories
        self.half = Fraction(win) / 2
        self.scheduled = scheduled
        self.scores = {
            name: sum((Fraction(entry.score) for entry in entries), Fraction(0))
            for name, entries in histories.items()
        }

    def adjusted(self, name: str) -> Fraction:
        """16.3."""
        if self.scheduled:
            return self.scores[name]
        rows = [(CATEGORIES[e.kind], Fraction(e.score)) for e in self.histories[name]]
        points = Fraction(0)
        for place, (kind, score) in enumerate(rows):
            later = {other for other, _ in rows[place + 1 :]}
            left_for_good = kind == "request" and not later & {"game", "16.2.1", "16.2.2"}
            points += self.half if left_for_good else score
        return points

    def rows(self, name: str) -> list[tuple[Fraction, Fraction, bool]]:
        """By round the opponent's score, the own result, and whether the absence was its own."""
        found = []
        for entry in self.histories[name]:
            kind = CATEGORIES[entry.kind]
            if kind == "game" or self.scheduled:
                score = self.adjusted(entry.opponent or "")
            elif kind in ("16.2.2", "16.2.4"):  # 16.4.1
                score = min(self.scores[name], self.adjusted(entry.opponent or ""))
            else:  # 16.4.2
                score = min(self.scores[name], self.half * len(self.histories[name]))
            own = not self.scheduled and kind in ("16.2.4", "request")
            found.append((score, Fraction(entry.score), own))
        return found

    def buchholz(self, name: str, low: int = 0) -> float:
        """8.1, 14.1, 16.5."""
        rows = sorted((score, own) for score, _, own in self.rows(name))
        for _ in range(low):
            absences = [row for row in rows if row[1]]
            if rows:
                rows.remove(absences[0] if absences else rows[0])
        return float(sum(score for score, _ in rows))

    def sonneborn_berger(self, name: str) -> float:
        """9.1."""
        return float(sum(score * own for score, own, _ in self.rows(name)))

    def koya(self, name: str) -> float:
        """9.2."""
        return float(
            sum(
                Fraction(entry.score)
                for entry in self.histories[name]
                if entry.opponent is not None
                and self.scores[entry.opponent] >= self.half * len(self.histories[entry.opponent])
            )
        )


CATEGORIES = {
    "played": "game",
    "bye": "16.2.1",
    "walkover": "16.2.2",
    "missed": "16.2.4",
    "half_point_bye": "request",
    "unpaired": "request",
}
"""The classes of 16.2."""


def values(
    histories: Histories, ratings: Mapping[str, float], win: float, *, scheduled: bool
) -> dict[TieBreak, Values]:
    """Each tie-break of each bot."""
    letter = _Letter(histories, win, scheduled=scheduled)

    def wins(entries: Sequence[Entry]) -> float:
        return float(len([entry for entry in entries if entry.score == win]))

    return {
        "buchholz": {name: letter.buchholz(name) for name in histories},
        "buchholz_cut_1": {name: letter.buchholz(name, 1) for name in histories},
        "buchholz_cut_2": {name: letter.buchholz(name, 2) for name in histories},
        "sonneborn_berger": {name: letter.sonneborn_berger(name) for name in histories},
        "koya": {name: letter.koya(name) for name in histories},
        "wins": {name: wins(entries) for name, entries in histories.items()},
        "progressive": {name: _progressive(entries) for name, entries in histories.items()},
        "average_rating": {name: _average(es, ratings) for name, es in histories.items()},
    }


def _progressive(entries: Sequence[Entry]) -> float:
    so_far, total = Fraction(0), Fraction(0)
    for entry in entries:
        so_far += Fraction(entry.score)
        total += so_far
    return float(total)


def _average(entries: Sequence[Entry], ratings: Mapping[str, float]) -> float | None:
    met = [Fraction(ratings[e.opponent or ""]) for e in entries if e.kind == "played"]
    if not met:
        return None
    return float((sum(met) / len(met) + Fraction(1, 2)) // 1)


def certain_first(names: str, met: Mapping[tuple[str, str], float]) -> str | None:
    """6.3: the bot that is first in every way in which the missing meetings could end."""
    missing = [pair for pair in combinations(names, 2) if pair not in met]
    winners = set()
    for scores in product((0.0, 0.5, 1.0), repeat=len(missing)):
        points = dict.fromkeys(names, 0.0)
        for (one, other), score in [*met.items(), *zip(missing, scores, strict=True)]:
            points[one] += score
            points[other] += 1 - score
        best = max(points.values())
        first = [name for name in names if points[name] == best]
        winners.add(first[0] if len(first) == 1 else "")
    (winner,) = winners if len(winners) == 1 else {""}
    return winner or None
