"""A bot's results round by round, and its opponents' scores and ratings (C.07, 10, 15, 16)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["played", "bye", "half_point_bye", "walkover", "missed", "unpaired"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot's entry for one round; in a round robin each match is a round of its own.

    Attributes:
        kind: ``played``; ``bye`` (given by the pairing); ``half_point_bye`` (on request);
            ``walkover`` (a forfeit win: the other one missed the meeting); ``missed`` (a forfeit
            loss); ``unpaired`` (it had withdrawn, had not entered yet, or was left out because it
            had missed its last meeting).
        opponent: the other one, None where there is none.
        score: of the round.
        second_seat_wins: the matches of the round that it played on the second seat and won.
    """

    kind: Kind
    opponent: str | None
    score: float
    second_seat_wins: int = 0

    @property
    def is_voluntary(self) -> bool:
        """Whether the bot itself is the reason why it did not play (C.07, 16.2: a VUR)."""
        return self.kind in ("half_point_bye", "missed", "unpaired")


Histories = Mapping[str, Sequence[Entry]]
"""By name, in the order of the rounds."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of one round of a bot.

    Attributes:
        score: the opponent's, or that of the dummy that stands for one.
        value: what is added: the score, or for Sonneborn-Berger the score times the result.
        voluntary: whether the bot itself is the reason why the round was not played.
    """

    score: float
    value: float
    voluntary: bool


class Opponents:
    """Opponents' scores at one moment of a tournament.

    Args:
        histories: of all bots.
        draw: what a drawn round gives.
        scheduled: whether all rounds were drawn in advance, as in a round robin. Then a walkover
            counts as a match against the opponent who missed it (15.2). Else it is an unplayed
            round (16).
    """

    def __init__(self, histories: Histories, draw: float, *, scheduled: bool) -> None:
        self._histories = histories
        self._draw = draw
        self._scheduled = scheduled
        self.scores: Mapping[str, float] = {
            name: sum((entry.score for entry in entries), 0.0)
            for name, entries in histories.items()
        }
        self._adjusted = {name: self._adjusted_score(name) for name in histories}

    def buchholz(self, name: str) -> list[Contribution]:
        """The scores of a bot's opponents, round by round."""
        return [
            Contribution(score, score, self._is_voluntary(entry))
            for entry, score in self._rounds(name)
        ]

    def sonneborn_berger(self, name: str) -> list[Contribution]:
        """The scores of a bot's opponents, each times what the bot scored against it."""
        return [
            Contribution(score, score * entry.score, self._is_voluntary(entry))
            for entry, score in self._rounds(name)
        ]

    def _rounds(self, name: str) -> list[tuple[Entry, float]]:
        return [(entry, self._score(name, entry)) for entry in self._histories[name]]

    def _score(self, name: str, entry: Entry) -> float:
        """The opponent's score, or the dummy's (16.4): the bot's own, capped."""
        opponent = entry.opponent
        if opponent is not None and (entry.kind == "played" or self._scheduled):
            return self._adjusted[opponent]
        if self._scheduled:
            return 0.0
        most = (
            self._draw * len(self._histories[name])
            if opponent is None
            else self._adjusted[opponent]
        )
        return min(self.scores[name], most)

    def _is_voluntary(self, entry: Entry) -> bool:
        return entry.is_voluntary and not self._scheduled

    def _adjusted_score(self, name: str) -> float:
        """A bot's score as its opponents count it: a draw for each round after it left (16.3)."""
        if self._scheduled:
            return self.scores[name]
        entries = self._histories[name]
        present = [number for number, entry in enumerate(entries) if not entry.is_voluntary]
        last = max(present, default=-1)
        return sum(
            self._draw if number > last and entry.opponent is None else entry.score
            for number, entry in enumerate(entries)
        )


def total(contributions: Sequence[Contribution], lowest: int = 0, highest: int = 0) -> float:
    """The sum without the given numbers of the lowest and of the highest (14.1 to 14.3, 16.5)."""
    left = list(contributions)
    for _ in range(min(lowest, len(left))):
        left.remove(_least(left))
    for _ in range(min(highest, len(left))):
        left.remove(max(left, key=lambda one: (one.score, one.value)))
    return sum((one.value for one in left), 0.0)


def _least(contributions: Sequence[Contribution]) -> Contribution:
    """The least significant one; an absence of the bot's own instead if it gives as much (16.5)."""
    least = min(contributions, key=lambda one: (one.score, one.value))
    absences = [one for one in contributions if one.voluntary]
    absence = min(absences, key=lambda one: (one.value, one.score), default=None)
    return least if absence is None or absence.value < least.value else absence


_DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip
"""The rating difference for a score of 50 %, 51 %, ... 100 % (B.02, 8.1.1)."""

_LARGEST = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
)  # fmt: skip
"""The largest difference that gives the better one 50 %, 51 %, ... 99 %; beyond it is 100 %
(B.02, 8.1.2)."""


def average_rating(ratings: Sequence[float]) -> float | None:
    """The average of the opponents' ratings, a whole number (10.1); None without any."""
    return float(_rounded(sum(ratings) / len(ratings))) if ratings else None


def performance(score: float, ratings: Sequence[float]) -> float | None:
    """The tournament performance rating (10.2).

    Args:
        score: against these opponents, 0 to their number.
        ratings: of the opponents that were played.
    """
    average = average_rating(ratings)
    if average is None:
        return None
    percent = _rounded(100 * score / len(ratings))
    if percent < 50:
        return average - _DIFFERENCES[50 - percent]
    return average + _DIFFERENCES[percent - 50]


def perfect_performance(score: float, ratings: Sequence[float]) -> float | None:
    """The lowest whole rating with which the expected score is at least the score (10.3).

    800 below the weakest opponent for no points.
    """
    if not ratings:
        return None
    if score <= 0:
        return float(_rounded(min(ratings)) - 800)
    low, high = _rounded(min(ratings)) - 801, _rounded(max(ratings)) + 801
    while high - low > 1:
        middle = (low + high) // 2
        if sum(_expected(middle - rating) for rating in ratings) >= round(100 * score):
            high = middle
        else:
            low = middle
    return float(high)


def _expected(difference: float) -> int:
    """The expected score in percent."""
    percent = 50 + bisect_left(_LARGEST, _rounded(abs(difference)))
    return percent if difference >= 0 else 100 - percent


def _rounded(value: float) -> int:
    """To the nearest whole number, a half up."""
    return int((value + 0.5) // 1)
