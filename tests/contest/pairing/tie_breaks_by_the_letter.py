"""A second implementation of the tie-breaks, article by article of C.07, written for the tests.

It shares nothing with the first but the histories: rounds are plain rows of text, and each
tie-break is computed on its own, slowly.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product

from polynya_contest.pairing.tie_breaks.opponents import Entry
from polynya_contest.pairing.tie_breaks.tie_breaks import TieBreak

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
        histories[one].append(Entry("played", other, score, dice.randint(0, 2)))
        histories[other].append(Entry("played", one, win - score, dice.randint(0, 2)))


Match = tuple[str, str, str]
"""Of a round robin: who had which seat, and the name of the winner, "" for a draw; a name of one
that was absent begins with "-"."""


def round_robin_histories(names: Sequence[str], matches: Sequence[Match]) -> Histories:
    """15.2: each match is a round, and a walkover is one against the bot that missed it."""
    histories: dict[str, list[Entry]] = {name: [] for name in names}
    for *pair, winner in matches:
        for seat, name in enumerate(pair):
            other = pair[1 - seat]
            absent = winner.removeprefix("-") if winner.startswith("-") else None
            if absent is not None:
                missed = absent == name
                entry = Entry("missed", other, 0.0) if missed else Entry("walkover", other, 1.0)
                histories[name].append(entry)
            else:
                score = 0.5 if not winner else float(winner == name)
                on_second = int(seat == 1 and winner == name)
                histories[name].append(Entry("played", other, score, on_second))
    return histories


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

    def median(self, name: str) -> float:
        """14.3, 16.5: without the lowest and the highest."""
        rows = sorted((score, own) for score, _, own in self.rows(name))
        absences = [row for row in rows if row[1]]
        if rows:
            rows.remove(absences[0] if absences else rows[0])
        return float(sum(score for score, _ in rows[:-1]))

    def sonneborn_berger(self, name: str) -> float:
        """9.1."""
        return float(sum(score * own for score, own, _ in self.rows(name)))

    def sonneborn_berger_cut_1(self, name: str) -> float:
        """14.1: without the product of the opponent with the lowest score.

        16.5: or, if that is no less, the lowest product of an absence of its own.
        """
        rows = self.rows(name)
        if not rows:
            return 0.0
        lowest = min(score for score, _, _ in rows)
        cut = min(score * own for score, own, _ in rows if score == lowest)
        absences = [score * own for score, own, absent in rows if absent]
        if absences:
            cut = max(cut, min(absences))
        return float(sum(score * own for score, own, _ in rows) - cut)

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
        "buchholz_median": {name: letter.median(name) for name in histories},
        "sonneborn_berger": {name: letter.sonneborn_berger(name) for name in histories},
        "sonneborn_berger_cut_1": {name: letter.sonneborn_berger_cut_1(name) for name in histories},
        "second_seat_wins": {
            name: float(sum(e.second_seat_wins for e in entries if e.kind == "played"))
            for name, entries in histories.items()
        },
        "koya": {name: letter.koya(name) for name in histories},
        "wins": {name: wins(entries) for name, entries in histories.items()},
        "progressive": {name: _progressive(entries) for name, entries in histories.items()},
        "average_rating": {name: _average(es, ratings) for name, es in histories.items()},
        "performance": {name: _performance(es, ratings, win) for name, es in histories.items()},
        "perfect_performance": {name: _perfect(es, ratings, win) for name, es in histories.items()},
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


_GAINS = """
0 7 14 21 29 36 43 50 57 65 72 80 87 95 102 110 117 125 133 141 149 158 166 175 184 193 202 211 220
230 240 251 262 273 284 296 309 322 336 351 366 383 401 422 444 470 501 538 589 677 800
"""
"""B.02, 8.1.1: what a score of 50 %, 51 % and so on is worth."""

_RANGES = """
0-3 4-10 11-17 18-25 26-32 33-39 40-46 47-53 54-61 62-68 69-76 77-83 84-91 92-98 99-106 107-113
114-121 122-129 130-137 138-145 146-153 154-162 163-170 171-179 180-188 189-197 198-206 207-215
216-225 226-235 236-245 246-256 257-267 268-278 279-290 291-302 303-315 316-328 329-344 345-357
358-374 375-391 392-411 412-432 433-456 457-484 485-517 518-559 560-619 620-735
"""
"""B.02, 8.1.2: the differences for which the stronger one is expected to score 50 %, 51 %, ..."""


def _games(
    entries: Sequence[Entry], ratings: Mapping[str, float], win: float
) -> tuple[Fraction, list[int]]:
    """The score in games, a win 1, and the opponents' ratings."""
    games = [entry for entry in entries if CATEGORIES[entry.kind] == "game"]
    score = sum((Fraction(entry.score) / Fraction(win) for entry in games), Fraction(0))
    return score, [int(ratings[entry.opponent or ""]) for entry in games]


def _performance(
    entries: Sequence[Entry], ratings: Mapping[str, float], win: float
) -> float | None:
    """10.2."""
    score, met = _games(entries, ratings, win)
    average = _average(entries, ratings)
    if average is None:
        return None
    percent = int((100 * score / len(met) + Fraction(1, 2)) // 1)
    gain = int(_GAINS.split()[abs(percent - 50)])
    return average + (gain if percent >= 50 else -gain)


def _perfect(entries: Sequence[Entry], ratings: Mapping[str, float], win: float) -> float | None:
    """10.3: every rating is tried, from the lowest that could do."""
    score, met = _games(entries, ratings, win)
    if not met:
        return None
    if score == 0:
        return float(min(met) - 800)
    for rating in range(min(met) - 800, max(met) + 801):
        if sum(_chances(rating - other) for other in met) >= 100 * score:
            return float(rating)
    raise AssertionError("no rating is high enough")


@cache
def _chances(difference: int) -> int:
    """In per cent."""
    for percent, words in enumerate(_RANGES.split(), 50):
        low, high = map(int, words.split("-"))
        if low <= abs(difference) <= high:
            return percent if difference >= 0 else 100 - percent
    return 100 if difference > 0 else 0


def direct_order(
    group: Sequence[str], histories: Histories, win: float, *, scheduled: bool = False
) -> list[list[str]]:
    """6.1 to 6.3 for bots of equal scores, the best first; equal ones stand together."""
    counted = ("played", "walkover", "missed") if scheduled else ("played",)  # 15.2
    met = {
        one: {
            other: scores
            for other in group
            if (
                scores := [
                    Fraction(entry.score)
                    for entry in histories[one]
                    if entry.opponent == other and entry.kind in counted
                ]
            )
        }
        for one in group
    }
    points = {
        one: sum((sum(scores) / len(scores) for scores in by.values()), Fraction(0))
        for one, by in met.items()
    }
    if all(len(by) == len(group) - 1 for by in met.values()):  # 6.2
        parts = [
            [one for one in group if points[one] == score]
            for score in sorted(set(points.values()), reverse=True)
        ]
    else:  # 6.3
        most = {
            one: points[one] + Fraction(win) * (len(group) - 1 - len(met[one])) for one in group
        }
        parts, rest = [], list(group)
        while rest:
            first = [
                one
                for one in rest
                if all(points[one] > most[other] for other in rest if other != one)
            ]
            if len(first) != 1 or len(rest) == 1:
                break
            parts.append(first)
            rest.remove(first[0])
        parts += [rest] if rest else []
    if len(parts) == 1:
        return parts
    return [
        small for part in parts for small in direct_order(part, histories, win, scheduled=scheduled)
    ]
